import HTTPTypes
import MadangCore
import MadangOperations
import NIOCore

/// The trust in peers of connections.
struct PeerTrust: Sendable {
  /// Peers whose headers are trusted.
  let proxies: [IPNetwork]
  /// Whether a loopback peer that forwards nothing is a client, that is, a program of this machine. Otherwise it may be a
  /// proxy of this machine that does not forward its clients' addresses.
  let takesLoopbackForClient: Bool
  /// Whether the peers of a Unix socket are a proxy.
  var trustsUnixSocket = false

  /// - Parameter peer: Nil for a Unix socket.
  func trusts(_ peer: IPAddress?) -> Bool {
    guard let peer else { return trustsUnixSocket }
    return proxies.contains { $0.contains(peer) }
  }

  func trusts(_ peer: SocketAddress?) -> Bool { trusts(peer.flatMap { IPAddress($0) }) }
}

extension ServerSettings {
  var peerTrust: PeerTrust {
    PeerTrust(
      proxies: trustedProxies, takesLoopbackForClient: loopbackIsClient ?? isDevelopment,
      trustsUnixSocket: socketPath != nil)
  }
}

/// The origin of a request, as far as it is known.
struct ClientAddress: Sendable {
  /// One normalised form for each address.
  let text: String
  /// The key of limits.
  let network: String
  let networkHash: KeyHash
  /// The address of the nearest untrusted machine; two if headers contradict each other, none if a trusted proxy sends
  /// none.
  private let places: [IPAddress]
  /// Whether the client came over TLS, directly or to a trusted proxy.
  let isSecure: Bool
  /// Whether several clients may share this address: an untrusted proxy is in the chain, or a trusted one did not send the
  /// client's address. Then it identifies no account.
  let isShared: Bool
  /// Whether it is a program of this machine, with its own address, that the settings count as a client.
  let isLocal: Bool

  /// The network in mails about sign-ins, which cannot be forged: `a or b` if headers contradict each other. Nil if a
  /// trusted proxy sends none.
  var site: String? {
    if isWithoutAddress { return "local" }
    let sites = Set(places.map(\.site)).sorted()
    return sites.isEmpty ? nil : sites.joined(separator: " or ")
  }

  /// Whether it is known to be in one of the networks. Of headers that contradict each other, all count.
  func isWithin(_ networks: [IPNetwork]) -> Bool {
    !places.isEmpty && places.allSatisfy { place in networks.contains { $0.contains(place) } }
  }

  /// Whether it came through a Unix socket, which only this machine reaches.
  private let isWithoutAddress: Bool

  /// The peer's address, or the one a trusted proxy forwards.
  ///
  /// Proxies append the nearest hop last; behind several trusted ones, the nearest untrusted hop counts. What that hop
  /// forwards is not trusted: it may be an unlisted proxy with many clients behind it. If all hops are trusted, none of
  /// them is a client. If `Forwarded` and an `X-Forwarded` header contradict each other, the client wrote one of them,
  /// and neither is trusted.
  init(peer: SocketAddress?, headers: HTTPFields, trust: PeerTrust) {
    let peer = peer.flatMap { IPAddress($0) }
    let isForwarded = Self.isForwarded(headers)
    let isLoopback = peer?.isLoopback ?? true
    let trusted = trust.proxies
    guard trust.trusts(peer) else {
      let isClient = !isLoopback || trust.takesLoopbackForClient
      self.init(
        peer, places: isClient ? peer.map { [$0] } ?? [] : [], isSecure: false, isShared: isForwarded || !isClient,
        isLocal: isLoopback && isClient && !isForwarded)
      return
    }
    guard isForwarded else {
      // The proxy sent no client address: it may carry connections of any client, like a container's published port.
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
    let schemes = [forwarded?.scheme, headers[values: .forwardedProto].last.map(Self.last)].compactMap { $0 }
    // Some proxies send the WebSocket's own scheme.
    let isSecure = !schemes.isEmpty && schemes.allSatisfy { $0 == "https" || $0 == "wss" }
    guard let client = clients.first?.address, clients.allSatisfy({ $0.address == client }) else {
      self.init(peer, places: places, isSecure: isSecure, isShared: true, isLocal: false)
      return
    }
    self.init(client, places: places, isSecure: isSecure, isShared: clients.contains { $0.isShared }, isLocal: false)
  }

  /// The address text of a Unix socket.
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

  /// The nearest untrusted hop, or the farthest if all are trusted; no address if that hop has none.
  private static func client(_ chain: [String], _ trusted: [IPNetwork]) -> (address: IPAddress?, isShared: Bool) {
    for (index, hop) in chain.enumerated().reversed() {
      guard let address = IPAddress(hop) else { return (nil, true) }
      if !trusted.contains(where: { $0.contains(address) }) { return (address, index > 0) }
    }
    return (chain.first.flatMap { IPAddress($0) }, true)
  }

  /// The host that the client called, by a trusted proxy; nil if it sends none or two, or the peer is not trusted.
  static func forwardedHost(_ headers: HTTPFields, peer: SocketAddress?, trust: PeerTrust) -> String? {
    guard trust.trusts(peer) else { return nil }
    let hosts = Set([Forwarded(headers)?.host, headers[values: .forwardedHost].last.map(last)].compactMap { $0 })
    return hosts.count == 1 ? hosts.first : nil
  }

  private static func last(_ list: String) -> String {
    (list.split(separator: ",").last?.trimmingWhitespace() ?? "").lowercased()
  }

  /// Whether the request has headers of a proxy, real or forged.
  static func isForwarded(_ headers: HTTPFields) -> Bool { forwardingHeaders.contains { headers.contains($0) } }

  private static let forwardingHeaders: [HTTPField.Name] = [
    .forwardedFor, .forwarded, .forwardedProto, .forwardedHost, .realIP,
  ]
}

/// The header `Forwarded` (RFC 7239).
private struct Forwarded {
  /// The farthest hop first.
  let clients: [String]
  /// The scheme between the client and the nearest proxy, in lower case.
  let scheme: String?
  /// The host that the client called, by the nearest proxy.
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

/// The network at the other end of a connection; nil for a trusted proxy.
func connectionOwner(_ peer: SocketAddress?, _ trust: PeerTrust) -> String? {
  let address = peer.flatMap { IPAddress($0) }
  if trust.trusts(address) { return nil }
  return (address?.texts ?? ClientAddress.ofNoAddress).network
}
