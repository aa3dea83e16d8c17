import SocketIOProtocol

/// The other servers of a cluster, as far as their recent messages show. It reads no clock; all times are in milliseconds.
struct ClusterMembers {
  /// The most servers that are known at a time. Messages of further servers are accepted, but their answers are not awaited.
  static let limit = 1024

  private var heard: [SocketIOServer.ServerID: Milliseconds] = [:]

  var ids: Set<SocketIOServer.ServerID> { Set(heard.keys) }
  var count: Int { heard.count }

  /// Notes a message from a server. Returns whether the server was unknown before.
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

  /// Removes servers that were silent since `time`, and returns them.
  mutating func expire(before time: Milliseconds) -> [SocketIOServer.ServerID] {
    let expired = heard.filter { $0.value < time }.map(\.key)
    for server in expired { heard[server] = nil }
    return expired
  }
}
