import HTTPTypes
import SocketIOProtocol

/// The sockets of an answer, split into messages of a size that every adapter can carry and every server can read.
enum SocketParts {
  /// The limits of one message.
  static let maxSockets = 200
  static let maxBytes = 1024 * 1024
  static let maxElements = WireReader.maxElements / 2

  /// Also returns how many sockets are left out, because one socket alone is too large, or has a room whose name is expensive to compare.
  /// There is always at least one part, which may be empty.
  static func divide(_ sockets: [SocketSnapshot]) -> (parts: [[SocketSnapshot]], leftOut: Int) {
    var parts: [[SocketSnapshot]] = [[]]
    var (bytes, elements, leftOut) = (0, 0, 0)
    for socket in sockets {
      var writer = WireWriter()
      writer.write(socket)
      let isReadable = socket.rooms.allSatisfy(\.isCheapToCompare)
      guard isReadable, writer.bytes.count <= maxBytes, writer.elements <= maxElements else {
        leftOut += 1
        continue
      }
      bytes += writer.bytes.count
      elements += writer.elements
      if parts[parts.count - 1].count == maxSockets || bytes > maxBytes || elements > maxElements {
        parts.append([])
        (bytes, elements) = (writer.bytes.count, writer.elements)
      }
      parts[parts.count - 1].append(socket)
    }
    return (parts, leftOut)
  }
}

extension SocketSnapshot {
  /// The snapshot in the form for other servers: without these header fields of its handshake, without the session id, and with the shared
  /// data, encoded.
  ///
  /// - Parameter failed: Called for data that cannot be encoded and is left out.
  func shown(
    withholding fields: Set<HTTPField.Name>, failed: (_ name: String, any Error) -> Void = { _, _ in }
  ) -> SocketSnapshot {
    SocketSnapshot(
      id: id, namespace: namespace, data: data.shown(failed: failed), transport: transport, rooms: rooms,
      handshake: Handshake(
        headers: HTTPFields(handshake.headers.filter { !fields.contains($0.name) }), query: handshake.query,
        remoteAddress: handshake.remoteAddress, transport: handshake.transport, revision: handshake.revision,
        issued: handshake.issued))
  }
}
