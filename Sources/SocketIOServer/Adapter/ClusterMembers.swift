import SocketIOProtocol

/// The other servers of a cluster, as far as they are known by what they sent lately. It reads no clock; all times in
/// milliseconds.
struct ClusterMembers {
  /// The most servers that are known at a time; messages of further ones are taken, but nobody waits for their answers.
  static let limit = 1024

  private var heard: [SocketIOServer.ServerID: Milliseconds] = [:]

  var ids: Set<SocketIOServer.ServerID> { Set(heard.keys) }
  var count: Int { heard.count }

  /// Something came of a server. Whether it was not known before.
  mutating func note(_ server: SocketIOServer.ServerID, at now: Milliseconds) -> Bool {
    let isKnown = heard[server] != nil
    guard isKnown || heard.count < Self.limit else { return false }
    heard[server] = now
    return !isKnown
  }

  /// Whether the server was known.
  mutating func remove(_ server: SocketIOServer.ServerID) -> Bool {
    heard.removeValue(forKey: server) != nil
  }

  /// Forgets, and returns, those of whom nothing came since that time.
  mutating func expire(before time: Milliseconds) -> [SocketIOServer.ServerID] {
    let expired = heard.filter { $0.value < time }.map(\.key)
    for server in expired { heard[server] = nil }
    return expired
  }
}
