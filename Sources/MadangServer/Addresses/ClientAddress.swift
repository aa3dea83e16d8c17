import HTTPTypes
import NIOCore

/// Where a request comes from, as far as it can be known.
struct ClientAddress: Sendable {
  /// One form for one address.
  let text: String
  /// What limits count by.
  let network: String
  let networkHash: KeyHash
  /// Where the nearest machine is that is not trusted; two addresses where headers name two, none where a trusted proxy names none.
  private let places: [IPAddress]
  /// Whether the client came over TLS, directly or to a trusted proxy.
  let isSecure: Bool
  /// Whether others may stand behind this address: a proxy forwarded that is not trusted, wherever it stands in the chain, or
  /// a trusted one did not say for whom. Then the address identifies nobody.
  let isShared: Bool
  /// Whether it is this machine's own, and no proxy forwarded.
  let isLocal: Bool

  /// The network that mails about sign-ins name, which nobody can make up: `a or b` where headers name two. Nil where a trusted proxy
  /// names none.
  var site: String? {
    if isWithoutAddress { return "local" }
    let sites = Set(places.map(\.site)).sorted()
    return sites.isEmpty ? nil : sites.joined(separator: " or ")
  }

  /// Whether it came by a socket of the file system, which only this machine reaches.
  private let isWithoutAddress: Bool

  /// The peer's address, or the one a trusted proxy forwards.
  ///
  /// The nearest hop comes last in what proxies write; behind several that are trusted, the first one from there counts that is
  /// not. What that one forwards is not believed: it may be a proxy that nobody named as trusted, with everybody behind it. If
  /// all hops are trusted, none of them is a client. If `Forwarded` and `X-Forwarded-For` name different clients, one of them
  /// was written by the client itself, and neither is believed.
  init(peer: SocketAddress?, headers: HTTPFields, trusted: [IPNetwork]) {
    let peer = peer.flatMap { IPAddress($0) }
    let isForwarded = Self.isForwarded(headers)
    guard let peer, trusted.contains(where: { $0.contains(peer) }) else {
      self.init(
        peer, places: peer.map { [$0] } ?? [], isSecure: false, isShared: isForwarded,
        isLocal: (peer?.isLoopback ?? true) && !isForwarded)
      return
    }
    guard isForwarded else {
      // The proxy did not say for whom: it may carry anybody's connections, as that of a container's published port does.
      self.init(peer, places: [], isSecure: false, isShared: true, isLocal: peer.isLoopback)
      return
    }
    let forwarded = Forwarded(headers)
    let chains = [
      forwarded?.clients, headers[values: .forwardedFor].joined(separator: ",").split(separator: ",").map(String.init),
    ]
    let clients = chains.compactMap { $0.flatMap { $0.isEmpty ? nil : Self.client($0, trusted) } }
    let places = clients.compactMap(\.address)
    let isSecure = (forwarded?.scheme ?? headers[values: .forwardedProto].last.map(Self.last)) == "https"
    guard let client = clients.first?.address, clients.allSatisfy({ $0.address == client }) else {
      self.init(peer, places: places, isSecure: isSecure, isShared: true, isLocal: false)
      return
    }
    self.init(client, places: places, isSecure: isSecure, isShared: clients.contains { $0.isShared }, isLocal: false)
  }

  private init(_ address: IPAddress?, places: [IPAddress], isSecure: Bool, isShared: Bool, isLocal: Bool) {
    (text, network) = address?.texts ?? ("local", "local")
    networkHash = KeyHash(network)
    isWithoutAddress = address == nil
    self.places = places
    self.isSecure = isSecure
    self.isShared = isShared
    self.isLocal = isLocal
  }

  /// The nearest hop that is not trusted, or the farthest if all are; no address if that one is not told.
  private static func client(_ chain: [String], _ trusted: [IPNetwork]) -> (address: IPAddress?, isShared: Bool) {
    for (index, hop) in chain.enumerated().reversed() {
      guard let address = IPAddress(hop) else { return (nil, true) }
      if !trusted.contains(where: { $0.contains(address) }) { return (address, index > 0) }
    }
    return (chain.first.flatMap { IPAddress($0) }, true)
  }

  private static func last(_ list: String) -> String {
    (list.split(separator: ",").last?.trimmingWhitespace() ?? "").lowercased()
  }

  /// Whether a proxy forwards, or somebody wants it to look so.
  static func isForwarded(_ headers: HTTPFields) -> Bool { forwardingHeaders.contains { headers.contains($0) } }

  private static let forwardingHeaders: [HTTPField.Name] = [
    .forwardedFor, .forwarded, .forwardedProto, .forwardedHost, .realIP,
  ]
}

/// The header `Forwarded` (RFC 7239).
private struct Forwarded {
  /// The farthest hop first.
  let clients: [String]
  /// How the client came to the nearest proxy, in lower case.
  let scheme: String?

  init?(_ headers: HTTPFields) {
    let values = headers[values: .forwarded]
    guard !values.isEmpty else { return nil }
    let elements = values.joined(separator: ",").split(separator: ",").map { element in
      element.split(separator: ";").map { pair in
        let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingWhitespace() }
        return (name: parts.first?.lowercased() ?? "", value: parts.count == 2 ? parts[1] : "")
      }
    }
    clients = elements.map { $0.first { $0.name == "for" }?.value ?? "" }
    scheme = elements.last?.first { $0.name == "proto" }?.value.lowercased()
  }
}

extension HTTPField.Name {
  // Valid names by inspection, which `init?` cannot know.
  static let forwardedFor = Self("X-Forwarded-For") ?? .via
  static let forwardedProto = Self("X-Forwarded-Proto") ?? .via
  static let forwardedHost = Self("X-Forwarded-Host") ?? .via
  static let forwarded = Self("Forwarded") ?? .via
  static let realIP = Self("X-Real-IP") ?? .via
}
