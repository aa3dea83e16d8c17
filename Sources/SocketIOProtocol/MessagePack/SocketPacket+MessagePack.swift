// The packet format of socket.io-msgpack-parser 3: a map with the keys `type`, `data`, `nsp` and `id`.

extension SocketPacket {
  /// The packet as one binary message.
  public var encodedMessagePack: [UInt8] {
    var message: [UInt8] = []
    message.reserveCapacity(namespace.utf8.count + attachments.reduce(payload.count) { $0 + $1.count } + 32)
    MessagePack.appendMap(2 + (payload.isEmpty ? 0 : 1) + (id == nil ? 0 : 1), to: &message)
    func appendKey(_ key: StaticString) {
      MessagePack.appendString(UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount), to: &message)
    }
    appendKey("type")
    message.append(kind.rawValue)
    if !payload.isEmpty {
      appendKey("data")
      JSONToMessagePack.append(payload, attachments: attachments, to: &message)
    }
    appendKey("nsp")
    MessagePack.appendString(namespace.utf8, to: &message)
    if let id {
      appendKey("id")
      MessagePack.appendWord(Array(id.digits.utf8)[...], to: &message)
    }
    return message
  }

  /// Parses a binary message. If a key occurs twice, the last one counts; keys other than the four are ignored.
  ///
  /// - Throws: Also `.badPayload` if the reference server refuses the data: CONNECT requires an object or nothing, DISCONNECT nothing,
  ///   events and acknowledgements an array.
  init(messagePack message: [UInt8], _ limits: SocketPacketReader.Limits) throws(SocketParseError) {
    var reader = MessagePackReader(message)
    guard case .map(let count) = try reader.next() else { throw .badPayload }
    var (kind, namespace, id): (Kind?, String?, AckID?) = (nil, nil, nil)
    var (payload, attachments): ([UInt8], [[UInt8]]) = ([], [])
    for _ in 0..<count {
      switch try Self.key(&reader) {
      case .type: kind = try Self.kind(&reader)
      case .namespace: namespace = try Self.namespace(&reader)
      case .id: id = try Self.id(&reader)
      case .data:
        let data = try MessagePackToJSON(&reader, limits)
        // Python clients send null for no data.
        payload = data.json == Array("null".utf8) ? [] : data.json
        attachments = data.attachments
      case .other: _ = try MessagePackToJSON(&reader, limits)
      }
    }
    guard reader.rest == 0 else { throw .badPayload }
    guard let kind else { throw .unknownType }
    guard let namespace else { throw .badNamespace }
    self.init(kind, namespace: namespace, id: id, payload: payload, attachments: attachments)
    guard hasFittingData else { throw .badPayload }
    // Renumbers, because the layers above cannot distinguish a map that looks like a placeholder from a real placeholder.
    if !attachments.isEmpty { try Placeholders.renumber(&self, limit: limits.attachments) }
  }

  private enum Key {
    case type
    case data
    case namespace
    case id
    case other
  }

  private static func key(_ reader: inout MessagePackReader) throws(SocketParseError) -> Key {
    guard case .string(let range) = try reader.next() else { throw .badPayload }
    let name = reader.bytes[range]
    if name.elementsEqual("type".utf8) { return .type }
    if name.elementsEqual("data".utf8) { return .data }
    if name.elementsEqual("nsp".utf8) { return .namespace }
    return name.elementsEqual("id".utf8) ? .id : .other
  }

  private static func kind(_ reader: inout MessagePackReader) throws(SocketParseError) -> Kind {
    guard case .unsigned(let number) = try reader.next(),
      let kind = UInt8(exactly: number).flatMap(Kind.init(rawValue:))
    else { throw .unknownType }
    return kind
  }

  private static func namespace(_ reader: inout MessagePackReader) throws(SocketParseError) -> String {
    guard case .string(let range) = try reader.next(), reader.bytes[range].first == UInt8(ascii: "/") else {
      throw .badNamespace
    }
    let name = String(decoding: reader.bytes[range], as: UTF8.self)
    guard name.isCheapToCompare else { throw .badNamespace }
    return name
  }

  private static func id(_ reader: inout MessagePackReader) throws(SocketParseError) -> AckID? {
    switch try reader.next() {
    case .unsigned(let number): return AckID(number)
    case .null: return nil
    default: throw .badID
    }
  }

  private var hasFittingData: Bool {
    switch kind {
    case .connect: payload.isEmpty || payload.first == UInt8(ascii: "{")
    case .disconnect: payload.isEmpty
    case .event, .ack: payload.first == UInt8(ascii: "[")
    case .connectError: true
    }
  }
}
