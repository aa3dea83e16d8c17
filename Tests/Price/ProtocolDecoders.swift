import SocketIOProtocol

extension Decoder {
  /// The decoders of Engine.IO and Socket.IO, in both revisions each.
  static let ofProtocols: [Decoder] = [
    Decoder("engine-packets", corpus: "engine-packets", Limits(workPerByte: 40, memoryPerByte: 8)) { input in
      for revision in [EngineRevision.v3, .v4] {
        _ = try? EnginePacket(text: input.bytes[...], revision)
        _ = try? EnginePacket(frame: .binary(input.bytes), revision)
      }
    },
    Decoder("engine-open", corpus: "engine-open", Limits(workPerByte: 200, memoryPerByte: 120)) { input in
      for revision in [EngineRevision.v3, .v4] {
        guard let packet = try? EnginePacket(text: input.bytes[...], revision) else { continue }
        var now: Milliseconds = 1_700_000_000_000
        var session = EngineClientSession(revision: revision, transport: .polling)
        _ = session.received(packet, at: now)
        for _ in 0..<3 where session.nextDeadline < .max {
          now = session.nextDeadline
          _ = session.tick(at: now)
        }
      }
    },
    Decoder("payloads", corpus: "payloads", Limits(workPerByte: 200, memoryPerByte: 160)) { input in
      for revision in [EngineRevision.v3, .v4] {
        _ = try? EnginePayload.decode(input.bytes, revision)
      }
      _ = try? EnginePayload.decodeBinary(input.bytes)
    },
    Decoder("socket-packets", corpus: "socket-packets", Limits(workPerByte: 200, memoryPerByte: 160)) { input in
      guard let packet = try Self.packet(input.bytes) else { return }
      _ = RecoveryClaim(auth: packet.payload)
      if let event = SocketEvent(packet), !event.arguments.values.isEmpty { _ = event.arguments[1...] }
      _ = SocketArguments(ack: packet)
      _ = packet.encodedText
    },
    Decoder("msgpack", corpus: "msgpack", Limits(workPerByte: 120, memoryPerByte: 160, isSteady: false)) { input in
      var reader = SocketPacketReader(parser: .msgpack, maxAttachments: 10)
      guard let packet = try reader.received(EnginePacket(binary: input.bytes)) else { return }
      _ = RecoveryClaim(auth: packet.payload)
      if let event = SocketEvent(packet), !event.arguments.values.isEmpty { _ = event.arguments[1...] }
      _ = SocketArguments(ack: packet)
      _ = packet.encodedMessagePack
    },
    // Grows what the one before refuses: MessagePack tells its lengths in front.
    Decoder("msgpack-of-json", corpus: "json", Limits(workPerByte: 120, memoryPerByte: 80)) { input in
      guard JSONScanner.isValue(input.bytes) else { return }
      let packet = SocketPacket.event("e", arguments: input.bytes)
      var reader = SocketPacketReader(parser: .msgpack, maxAttachments: 10)
      _ = try reader.received(packet.messages(.msgpack)[0])
    },
    Decoder("server-sessions", corpus: "sessions", Limits(workPerByte: 600, memoryPerByte: 400)) { input in
      let messages = try EnginePayload.decode(input.bytes, .v4)
      for revision in [EngineRevision.v3, .v4] {
        var session = SocketServerSession(.init(conduct: .lenient), revision: revision)
        _ = session.opened()
        for message in messages {
          switch session.received(message) {
          case .connect(let namespace, _): _ = session.accept(namespace: namespace)
          case .close: return
          default: break
          }
        }
      }
    },
    Decoder("client-sessions", corpus: "sessions", Limits(workPerByte: 600, memoryPerByte: 400)) { input in
      let messages = try EnginePayload.decode(input.bytes, .v4)
      for revision in [EngineRevision.v3, .v4] {
        var session = SocketClientSession(revision: revision)
        for namespace in ["/", "/a", "/x"] { _ = session.connect(namespace) }
        for message in messages {
          if case .close = session.received(message) { return }
        }
      }
    },
    Decoder("json", corpus: "json", Limits(workPerByte: 120, memoryPerByte: 120)) { input in
      _ = JSONScanner.isValue(input.bytes)
      _ = JSONScanner.elements(ofArray: input.bytes)
      _ = JSONScanner.members(ofObject: input.bytes)
      if let string = JSONText.string(input.bytes[...]) { _ = JSONText.quotedBytes(string) }
      _ = JSONText.integer(input.bytes[...])
    },
    Decoder("queries", corpus: "queries", Limits(workPerByte: 100, memoryPerByte: 200)) { input in
      let query = QueryString(String(decoding: input.bytes, as: UTF8.self)[...])
      _ = query["sid"]
      _ = query.jsonObject
    },
  ]

  /// Reads a packet and as many attachments as it wants.
  private static func packet(_ text: [UInt8]) throws -> SocketPacket? {
    var reader = SocketPacketReader(maxAttachments: 10)
    var packet = try reader.received(text: text)
    for number in UInt8(0)..<10 where packet == nil { packet = try reader.received(binary: [number]) }
    return packet
  }
}
