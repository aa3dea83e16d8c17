import MadangAPI
import NIOHTTP1
import SocketIOProtocol

/// Opening sessions, and their transports (wire contract, Socket protocol). Both editions share this, so the rules run once.
enum HandshakeRules {
  private static let once: [EditionName] = [.october2024]

  private static func opening(_ answer: Answer) throws -> JSON {
    guard answer.status == 200, answer.body.first == UInt8(ascii: "0") else {
      throw Violation(expected: "200 and an open packet", seen: answer.description)
    }
    return try JSON.reading(Array(answer.body.dropFirst()))
  }

  private static func isOpen(_ trial: Trial, _ query: String, headers: [(String, String)] = []) async throws {
    _ = try opening(try await trial.handshake(query, headers: headers))
  }

  private static let v4 = "EIO=4&transport=polling"

  static let all: [Rule] = [
    Rule(
      "sockets.open.polling", .socketProtocol, "A polling handshake answers an open packet that offers the upgrade.",
      in: once
    ) { trial in
      let open = try opening(try await trial.handshake(v4))
      try expectEqual("upgrades", open["upgrades"], ["websocket"])
      try expect(try !open.text("sid").isEmpty, "a session id", seen: "an empty one")
    },
    Rule("sockets.open.times", .socketProtocol, "The open packet says 25 s between pings and 20 s to answer.", in: once)
    {
      trial in
      let open = try opening(try await trial.handshake(v4))
      try expectEqual("pingInterval", try open.integer("pingInterval"), 25_000)
      try expectEqual("pingTimeout", try open.integer("pingTimeout"), 20_000)
    },
    Rule("sockets.open.web-socket", .socketProtocol, "A WebSocket from the start opens a session.", in: once) { trial in
      let upgrades = try await trial.withSocket(.webSocket) { await $0.opening.upgrades }
      try expectEqual("upgrades", upgrades, [])
    },
    Rule(
      "sockets.open.no-key", .requestHeaders, "Sockets need no SesacKey, and have no version in their path.", in: once
    ) {
      trial in
      try await isOpen(trial, v4)
      let answer = try await trial.server.send(.GET, "/v1/socket.io/?\(v4)", hasSession: false)
      guard answer.isRefusal else { throw answer.violation("no sockets below /v1") }
    },
    Rule("sockets.open.bad-revision", .socketProtocol, "A value of EIO other than 3 and 4 is HTTP 400.", in: once) {
      trial in
      for revision in ["5", "2", "abc", "44"] {
        let answer = try await trial.handshake("EIO=\(revision)&transport=polling")
        try expectEqual("the status for EIO=\(revision)", answer.status, 400)
      }
    },
    Rule("sockets.open.bad-transport", .socketProtocol, "An unknown transport is HTTP 400.", in: once) { trial in
      try expectEqual("the status", try await trial.handshake("EIO=4&transport=pigeon").status, 400)
    },
    Rule("sockets.open.unknown-session", .socketProtocol, "An unknown session id is HTTP 400.", in: once) { trial in
      try expectEqual("the status", try await trial.handshake(v4 + "&sid=none").status, 400)
    },
    Rule("sockets.open.queries", .socketProtocol, "b64=1 and unknown query keys are ignored.", in: once) { trial in
      try await isOpen(trial, v4 + "&b64=1&t=abc&whatever=1")
    },
    Rule("sockets.open.own-origin", .socketAccess, "The server's own origin is accepted with http and ws.", in: once) {
      trial in
      let authority = trial.server.url.split(separator: "/").last.map(String.init) ?? ""
      for scheme in ["http", "ws"] { try await isOpen(trial, v4, headers: [("Origin", "\(scheme)://\(authority)")]) }
    },
    Rule("sockets.open.foreign-origin", .socketAccess, "A handshake from another origin is refused.", in: once) {
      trial in
      let answer = try await trial.handshake(v4, headers: [("Origin", "https://evil.example")])
      try expect(answer.status >= 400, "a refusal", seen: answer.description)
    },
    Rule(
      "sockets.polling.post", .socketProtocol, "A POST is answered 200 and 'ok', and its packets are read in order.",
      in: once
    ) { trial in
      let yard = try await trial.courtyard()
      let rooms = try await yard.rooms()
      try await trial.withSocket(.polling) { socket in
        var packets: [EnginePacket] = []
        for room in rooms {
          let payload = Array(yard.a.credentials.text.utf8)
          packets += SocketPacket(.connect, namespace: try room.namespace, payload: payload).messages()
        }
        try await socket.post(packets)
        var joined: Set<String> = []
        while joined.count < rooms.count {
          let packet = try await socket.nextMessage("40 for both namespaces of one POST")
          if packet.kind == .connect { joined.insert(packet.namespace) }
        }
        try expectEqual("the namespaces joined", joined, Set(try rooms.map { try $0.namespace }))
      }
    },
    Rule("sockets.polling.types", .socketProtocol, "Polls are text/plain in UTF-8.", in: once) {
      trial in
      let answer = try await trial.handshake(v4)
      let type = try answer.header("Content-Type").lowercased()
      try expect(type.hasPrefix("text/plain") && type.contains("utf-8"), "text/plain in UTF-8", seen: type)
    },
    Rule(
      "sockets.ping", .socketProtocol, "The server pings 25 s after opening, and again after the answer.", in: once
    ) { trial in
      let start = ContinuousClock.now
      try await trial.withSocket(.webSocket) { socket in
        let packet = try await socket.nextOfAnyKind(within: .seconds(45), "a ping within 45 s")
        try expect(packet.kind == .ping, "a ping", seen: EngineSocket.text(packet))
        let time = ContinuousClock.now - start
        try expect(time > .seconds(20), "a ping after 25 s", seen: "one after \(time)")
        try await socket.send([EnginePacket(.pong)])
        try await socket.join("/")
      }
    },
  ]
}

extension JSON {
  /// - Throws: ``Violation``.
  static func reading(_ bytes: [UInt8]) throws -> JSON {
    do { return try JSON(bytes) } catch {
      throw Violation(expected: "JSON", seen: String(decoding: bytes, as: UTF8.self).shortened)
    }
  }
}
