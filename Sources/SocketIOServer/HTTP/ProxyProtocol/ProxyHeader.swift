import NIOCore

/// The header with which a proxy begins a connection, versions 1 and 2.
///
/// Source: https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt
struct ProxyHeader: Equatable {
  /// Not a header, or one for another kind of connection.
  struct Invalid: Error {}

  /// The client's address; nil if the proxy connects for itself, as its health checks do, or does not say.
  let client: SocketAddress?
  /// Whether the client speaks TLS with the proxy.
  var isSecure = false

  /// The longest line of version 1 with its line end, in bytes.
  private static let longestLine = 107
  /// The longest header of version 2 in bytes: addresses, and what proxies add to them.
  static let longest = 4096
  private static let signature: [UInt8] = [0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a]

  /// Takes a whole header from the first bytes of a connection; nil if more are needed. Throws ``Invalid``.
  static func take(from buffer: inout ByteBuffer) throws -> ProxyHeader? {
    let view = buffer.readableBytesView
    guard let first = view.first else { return nil }
    let start = first == UInt8(ascii: "P") ? Array("PROXY ".utf8) : signature
    guard view.elementsEqual(start.prefix(view.count)) || view.starts(with: start) else { throw Invalid() }
    guard view.count >= start.count else { return nil }
    return first == UInt8(ascii: "P") ? try line(from: &buffer) : try binary(from: &buffer)
  }

  // MARK: Version 1

  private static func line(from buffer: inout ByteBuffer) throws -> ProxyHeader? {
    let view = buffer.readableBytesView.prefix(longestLine)
    guard let end = view.firstIndex(of: 0x0a) else {
      guard view.count < longestLine else { throw Invalid() }
      return nil
    }
    guard let line = buffer.readBytes(length: end - view.startIndex + 1), line.count >= 2,
      line[line.count - 2] == 0x0d, line.allSatisfy({ $0 < 0x80 })
    else { throw Invalid() }
    let words = String(decoding: line.dropLast(2), as: UTF8.self).split(
      separator: " ", omittingEmptySubsequences: false)
    if words.count >= 2, words[1] == "UNKNOWN" { return ProxyHeader(client: nil) }
    guard words.count == 6, ["TCP4", "TCP6"].contains(words[1]), port(words[5]) != nil,
      let port = port(words[4]), let client = try? SocketAddress(ipAddress: String(words[2]), port: port),
      let server = try? SocketAddress(ipAddress: String(words[3]), port: port),
      client.protocol == (words[1] == "TCP4" ? .inet : .inet6), server.protocol == client.protocol
    else { throw Invalid() }
    return ProxyHeader(client: client)
  }

  private static func port(_ word: Substring) -> Int? {
    guard (1...5).contains(word.utf8.count), word.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(word).flatMap { $0 <= 65_535 ? $0 : nil }
  }

  // MARK: Version 2

  private static func binary(from buffer: inout ByteBuffer) throws -> ProxyHeader? {
    let start = buffer.readerIndex
    guard let command: UInt8 = buffer.getInteger(at: start + 12), let kind: UInt8 = buffer.getInteger(at: start + 13),
      let length: UInt16 = buffer.getInteger(at: start + 14)
    else { return nil }
    guard command >> 4 == 2, command & 0x0f <= 1, 16 + Int(length) <= longest else { throw Invalid() }
    guard buffer.readableBytes >= 16 + Int(length), buffer.readSlice(length: 16) != nil,
      var rest = buffer.readSlice(length: Int(length))
    else { return nil }
    // The proxy connects for itself, or for a client without an address.
    if command & 0x0f == 0 || kind == 0 { return ProxyHeader(client: nil) }
    let client: SocketAddress?
    switch kind {
    case 0x11: client = try address(4, in: &rest)
    case 0x21: client = try address(16, in: &rest)
    case 0x31:
      guard rest.readSlice(length: 216) != nil else { throw Invalid() }
      client = nil
    default: throw Invalid()
    }
    return ProxyHeader(client: client, isSecure: isSecure(&rest))
  }

  /// Two addresses of this size, and their ports.
  private static func address(_ size: Int, in rest: inout ByteBuffer) throws -> SocketAddress {
    guard let client = rest.readSlice(length: size), rest.readSlice(length: size) != nil,
      let port: UInt16 = rest.readInteger(), rest.readSlice(length: 2) != nil,
      let address = try? SocketAddress(packedIPAddress: client, port: Int(port))
    else { throw Invalid() }
    return address
  }

  /// Reads what the proxy adds: values with a kind and a length, among them what it knows of the client's TLS.
  private static func isSecure(_ rest: inout ByteBuffer) -> Bool {
    while let kind: UInt8 = rest.readInteger(), let length: UInt16 = rest.readInteger(),
      let value = rest.readSlice(length: Int(length))
    {
      if kind == 0x20, let client: UInt8 = value.getInteger(at: value.readerIndex) { return client & 1 == 1 }
    }
    return false
  }
}
