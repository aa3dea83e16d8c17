import HTTPTypes
import MadangCore
import NIOCore
import SocketIOProtocol

@testable import MadangServer
@testable import SocketIOServer

extension Decoder {
  /// What the server reads of the heads of requests: who sent them, from where, and which part of a file they want.
  static func ofHeads() throws -> [Decoder] {
    let cookie = SocketCookie(secret: Array("price".utf8), path: "/socket.io/", settings: Settings())
    let proxies = ["10.0.0.0/8", "2001:db8::/32"].compactMap { IPNetwork($0) }
    let proxy = try SocketAddress(ipAddress: "10.0.0.1", port: 4711)
    let origins = SocketIOServer.AllowedOrigins(others: ["https://chat.example.com", "http://[2001:db8::1]:8080"])
    return [
      // Each hop of a chain is parsed, and the shortest address has seven characters.
      Decoder("forwarded", corpus: "forwarded", Limits(work: 12_000, workPerByte: 100, memoryPerByte: 160)) { input in
        let client = ClientAddress(
          peer: proxy, headers: input.fields, trust: PeerTrust(proxies: proxies, takesLoopbackForClient: false))
        _ = client.site
      },
      Decoder("addresses", corpus: "addresses", Limits(workPerByte: 60, memoryPerByte: 80)) { input in
        guard let text = input.fieldValue else { return }
        if let address = IPAddress(text) { _ = (address.texts, address.site, address.isLoopback) }
        if let network = IPNetwork(text) { _ = (network.text, network.isTooLarge) }
      },
      // A name is looked for in every pair; a few signatures are computed.
      Decoder("socket-cookies", corpus: "cookies", Limits(work: 40_000, workPerByte: 100, memoryPerByte: 120)) {
        input in
        _ = cookie.session(in: input.fields)
      },
      // The first line is the query; header fields follow, then, behind an empty line, the payload of the connect.
      Decoder("socket-credentials", corpus: "credentials", Limits(workPerByte: 200, memoryPerByte: 160)) { input in
        let (head, auth) = input.headAndRest
        let lines = head.split(separator: 0x0a, maxSplits: 1, omittingEmptySubsequences: false)
        let query = String(decoding: lines.first ?? [], as: UTF8.self)
        let handshake = Handshake(
          headers: Input(bytes: Array(lines.dropFirst().first ?? [])).fields, query: QueryString(query[...]),
          remoteAddress: nil, transport: .polling, revision: .v4, issued: 0)
        _ = SocketCredentials(ConnectRequest(namespace: "/", auth: auth, handshake: handshake, origin: nil))
      },
      Decoder("ranges", corpus: "ranges", Limits(workPerByte: 100, memoryPerByte: 120)) { input in
        for size in [0, 1, 1000, Int.max] { _ = byteRange(input.fieldValue, size: size) }
      },
      Decoder("content-types", corpus: "content-types", Limits(workPerByte: 100, memoryPerByte: 40)) { input in
        guard let text = input.fieldValue else { return }
        for name in ["boundary", "charset", "name", "filename"] { _ = parameter(name, of: text) }
      },
      // The first line is the origin, the second the host that was asked. A request with another origin is refused before.
      Decoder("origins", corpus: "origins", Limits(workPerByte: 60, memoryPerByte: 60)) { input in
        guard let text = input.fieldValue else { return }
        let lines = text.split(separator: "\n", maxSplits: 1).map(String.init)
        _ = SocketIOServer.AllowedOrigins.isOrigin(text)
        guard let origin = lines.first, origin.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return }
        _ = origins.allow([.origin: origin], authority: lines.dropFirst().first)
      },
    ]
  }
}

extension Input {
  /// The text of a header field; nil where a connection refuses the head for it.
  var fieldValue: String? {
    let text = String(decoding: bytes, as: UTF8.self)
    return text.isCheapToCompare ? text : nil
  }

  /// Header fields, each a line `Name: value`. What a connection refuses is left out.
  var fields: HTTPFields {
    var fields: HTTPFields = [:]
    for line in bytes.split(separator: 0x0a) {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
        let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self)),
        let value = Input(bytes: Array(line[(colon + 1)...])).fieldValue
      else { continue }
      fields.append(HTTPField(name: name, value: value))
    }
    return fields
  }

  /// What stands before the first empty line, and what stands behind it.
  var headAndRest: (head: ArraySlice<UInt8>, rest: [UInt8]) {
    guard let end = bytes.indices.dropLast().first(where: { bytes[$0] == 0x0a && bytes[$0 + 1] == 0x0a }) else {
      return (bytes[...], [])
    }
    return (bytes[..<end], Array(bytes[(end + 2)...]))
  }
}
