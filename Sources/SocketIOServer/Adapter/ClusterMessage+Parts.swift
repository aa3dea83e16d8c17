import HTTPTypes
import NIOCore
import SocketIOProtocol

/// The options of a target, in one byte.
private enum TargetFlags {
  static let isVolatile: UInt8 = 1
  /// The event must not be compressed.
  static let isPlain: UInt8 = 2
}

/// The parts of messages between servers.
extension WireWriter {
  mutating func write(_ target: BroadcastTarget) {
    write(target.namespace)
    write(list: target.rooms) { $0.write($1) }
    write(list: target.except) { $0.write($1) }
    write(byte: (target.isVolatile ? TargetFlags.isVolatile : 0) | (target.compress ? 0 : TargetFlags.isPlain))
  }

  mutating func write(_ arguments: SocketArguments) {
    write(list: arguments.values) { $0.write($1) }
    write(list: arguments.attachments) { $0.write($1) }
  }

  mutating func write(_ reply: ClusterReply) {
    switch reply {
    case .sockets(let sockets, let isLast):
      write(byte: 1)
      write(list: sockets) { $0.write($1) }
      write(isLast)
    case .asked(let ids, let isLast):
      write(byte: 2)
      write(list: ids) { $0.write($1) }
      write(isLast)
    case .acknowledged(let id, let arguments):
      write(byte: 3)
      write(id)
      write(optional: arguments) { $0.write($1) }
    case .answered(let arguments):
      write(byte: 4)
      write(optional: arguments) { $0.write($1) }
    }
  }

  mutating func write(_ socket: SocketSnapshot) {
    write(socket.id)
    write(socket.namespace)
    write(list: socket.data.foreign) { writer, value in
      writer.write(value.key)
      writer.write(value.value)
    }
    write(socket.transport.rawValue)
    write(list: socket.rooms) { $0.write($1) }
    write(socket.handshake)
  }

  private mutating func write(_ handshake: Handshake) {
    write(list: handshake.headers) { writer, field in
      writer.write(field.name.rawName)
      writer.write(field.value)
    }
    write(list: handshake.query.items) { writer, item in
      writer.write(item.name)
      writer.write(item.value)
    }
    write(handshake.remoteAddress?.ipAddress ?? "")
    write(UInt64(handshake.remoteAddress?.port ?? 0))
    write(handshake.transport.rawValue)
    write(UInt64(handshake.revision.rawValue))
    write(UInt64(bitPattern: handshake.issued))
  }
}

extension WireReader {
  mutating func rooms() throws(WireFlaw) -> Set<String> {
    Set(try list { reader throws(WireFlaw) in try reader.text() })
  }

  mutating func target() throws(WireFlaw) -> BroadcastTarget {
    var target = BroadcastTarget(namespace: try text(), rooms: try rooms(), except: try rooms())
    let flags = try byte()
    guard flags & ~(TargetFlags.isVolatile | TargetFlags.isPlain) == 0 else { throw .malformed }
    target.isVolatile = flags & TargetFlags.isVolatile != 0
    target.compress = flags & TargetFlags.isPlain == 0
    return target
  }

  /// Reads arguments and checks that their values are JSON, because clients receive them unchanged.
  mutating func arguments() throws(WireFlaw) -> SocketArguments {
    let values = try list { reader throws(WireFlaw) in try reader.bytes() }
    guard values.allSatisfy(JSONScanner.isValue) else { throw .malformed }
    return SocketArguments(values, attachments: try list { reader throws(WireFlaw) in try reader.bytes() })
  }

  mutating func reply() throws(WireFlaw) -> ClusterReply {
    let code = try byte()
    switch code {
    case 1:
      return .sockets(try list { reader throws(WireFlaw) in try reader.snapshot() }, isLast: try flag())
    case 2:
      return .asked(try list { reader throws(WireFlaw) in try reader.text() }, isLast: try flag())
    case 3:
      return .acknowledged(try text(), try optional { reader throws(WireFlaw) in try reader.arguments() })
    case 4:
      return .answered(try optional { reader throws(WireFlaw) in try reader.arguments() })
    default:
      throw .unknownKind(code)
    }
  }

  private mutating func snapshot() throws(WireFlaw) -> SocketSnapshot {
    let id = try text()
    let namespace = try text()
    let values = try list { reader throws(WireFlaw) in (try reader.text(), try reader.bytes()) }
    let data = SocketData(foreign: Dictionary(values) { _, last in last })
    return SocketSnapshot(
      id: id, namespace: namespace, data: data, transport: try transport(), rooms: try rooms(),
      handshake: try handshake())
  }

  private mutating func transport() throws(WireFlaw) -> EngineTransport {
    guard let transport = EngineTransport(rawValue: try text()) else { throw .malformed }
    return transport
  }

  private mutating func handshake() throws(WireFlaw) -> Handshake {
    let fields = try list { reader throws(WireFlaw) in
      guard let name = HTTPField.Name(try reader.text()) else { throw .malformed }
      return HTTPField(name: name, value: try reader.freeText())
    }
    let items = try list { reader throws(WireFlaw) in
      "\(Self.percentEncoded(try reader.text()))=\(Self.percentEncoded(try reader.freeText()))"
    }
    let address = try address()
    let transport = try transport()
    guard let revision = Int(exactly: try number()).flatMap(EngineRevision.init(rawValue:)) else { throw .malformed }
    return Handshake(
      headers: HTTPFields(fields), query: QueryString(items.joined(separator: "&")[...]), remoteAddress: address,
      transport: transport, revision: revision, issued: Int64(bitPattern: try number()))
  }

  private mutating func address() throws(WireFlaw) -> SocketAddress? {
    let ip = try text()
    guard let port = UInt16(exactly: try number()) else { throw .malformed }
    return try? SocketAddress(ipAddress: ip, port: Int(port))
  }

  private static func percentEncoded(_ text: String) -> String {
    text.utf8.map { byte in
      let character = Character(Unicode.Scalar(byte))
      return byte < 0x80 && (character.isLetter || character.isNumber)
        ? String(character) : "%" + String(byte >> 4, radix: 16) + String(byte & 0x0f, radix: 16)
    }.joined()
  }
}
