import HTTPTypes
import MadangCore
import MadangOperations
import NIOCore

/// What is believed of the peers of connections.
struct PeerTrust: Sendable {
  /// Their headers are believed.
  let proxies: [IPNetwork]
  /// Whether a loopback peer that forwards nothing is a client: a program of this machine. Otherwise it may as well be a proxy of this
  /// machine that does not say for whom it calls.
  let takesLoopbackForClient: Bool
}

extension ServerSettings {
  var peerTrust: PeerTrust {
    PeerTrust(proxies: trustedProxies, takesLoopbackForClient: loopbackIsClient ?? isDevelopment)
  }
}

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
  /// Whether a program of this machine calls: by its own address, and the settings take that for a client's.
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
  init(peer: SocketAddress?, headers: HTTPFields, trust: PeerTrust) {
    let peer = peer.flatMap { IPAddress($0) }
    let isForwarded = Self.isForwarded(headers)
    let isLoopback = peer?.isLoopback ?? true
    let trusted = trust.proxies
    guard let peer, trusted.contains(where: { $0.contains(peer) }) else {
      let isClient = !isLoopback || trust.takesLoopbackForClient
      self.init(
        peer, places: isClient ? peer.map { [$0] } ?? [] : [], isSecure: false, isShared: isForwarded || !isClient,
        isLocal: isLoopback && isClient && !isForwarded)
      return
    }
    guard isForwarded else {
      // The proxy did not say for whom: it may carry anybody's connections, as that of a container's published port does.
      self.init(
        peer, places: [], isSecure: false, isShared: true,
        isLocal: isLoopback && trust.takesLoopbackForClient)
      return
    }
    let forwarded = Forwarded(headers)
    let chains = [
      forwarded?.clients, headers[values: .forwardedFor].joined(separator: ",").split(separator: ",").map(String.init),
    ]
    let clients = chains.compactMap { $0.flatMap { $0.isEmpty ? nil : Self.client($0, trusted) } }
    let places = clients.compactMap(\.address)
    let scheme = forwarded?.scheme ?? headers[values: .forwardedProto].last.map(Self.last)
    // Some proxies name the WebSocket's own scheme.
    let isSecure = scheme == "https" || scheme == "wss"
    guard let client = clients.first?.address, clients.allSatisfy({ $0.address == client }) else {
      self.init(peer, places: places, isSecure: isSecure, isShared: true, isLocal: false)
      return
    }
    self.init(client, places: places, isSecure: isSecure, isShared: clients.contains { $0.isShared }, isLocal: false)
  }

  /// What a socket of the file system is called.
  static let ofNoAddress = (address: "local", network: "local")

  private init(_ address: IPAddress?, places: [IPAddress], isSecure: Bool, isShared: Bool, isLocal: Bool) {
    (text, network) = address?.texts ?? Self.ofNoAddress
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

  /// The host that a trusted proxy says the client called; nil if it says none, or the peer is not trusted.
  static func forwardedHost(_ headers: HTTPFields, peer: SocketAddress?, trusted: [IPNetwork]) -> String? {
    guard let peer = peer.flatMap({ IPAddress($0) }), trusted.contains(where: { $0.contains(peer) }) else { return nil }
    return Forwarded(headers)?.host ?? headers[values: .forwardedHost].last.map(last)
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
  /// The host that the client called, as the nearest proxy has it.
  let host: String?

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
    func last(_ name: String) -> String? {
      elements.last?.first { $0.name == name }?.value.filter { $0 != "\"" }.lowercased()
    }
    scheme = last("proto")
    host = last("host")
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
