import MadangAPI
import SocketIOProtocol

/// Clients of Socket.IO 1 and 2, which speak Engine.IO 3 (wire contract, Socket protocol).
enum OldSocketRules {
  private static func handshake(_ person: Person? = nil) -> EngineSocket.Handshake {
    .init(revision: .v3, query: person?.credentialQuery ?? "")
  }

  /// A rule that is skipped where old clients are not served.
  private static func rule(
    _ id: String, _ sentence: String, in editions: [EditionName] = EditionName.allCases,
    check: @escaping @Sendable (Trial) async throws -> Void
  ) -> Rule {
    Rule("sockets.old." + id, .socketProtocol, sentence, in: editions) { trial in
      let answer = try await trial.handshake("EIO=3&transport=polling")
      if answer.status == 400 { throw Skip(reason: "the server does not serve Engine.IO 3 (allowEIO3)") }
      try await check(trial)
    }
  }

  private static func delivered(over carrier: EngineSocket.Carrier) -> Rule {
    rule("delivery.\(carrier.rawValue)", "An old client joins a room and gets its chats (\(carrier.rawValue)).") {
      trial in
      let yard = try await trial.courtyard()
      for room in try await yard.rooms() {
        try await trial.withSocket(carrier, handshake(yard.b)) { socket in
          try await socket.join(try room.namespace)
          let chat = try await yard.a.say("hi 각😀", in: room)
          let heard = try await socket.event()
          try expectEqual("the event", heard.event.name, room.event)
          try expectEqual("the chat", try heard.event.chat(), chat)
        }
      }
    }
  }

  static let all: [Rule] =
    EngineSocket.Carrier.allCases.map(delivered) + [
      rule("absent-revision", "A client without EIO uses revision 3.", in: [.october2024]) { trial in
        let answer = try await trial.handshake("transport=polling&b64=1")
        let packets = try? EnginePayload.decode(answer.body, .v3)
        try expect(packets?.first?.kind == .open, "a length-prefixed open packet", seen: answer.description)
      },
      rule("main-namespace", "Old clients join the main namespace without a connect.", in: [.october2024]) { trial in
        try await trial.withSocket(.polling, handshake()) { socket in
          let packet = try await socket.nextMessage("40")
          try expect(
            packet.kind == .connect && packet.namespace == "/", "40",
            seen: packet.wireText)
        }
      },
      rule("ping", "Old clients ping, and the server answers.", in: [.october2024]) { trial in
        try await trial.withSocket(.webSocket, handshake()) { socket in
          try await socket.send([EnginePacket(.ping)])
          while true {
            let packet = try await socket.nextOfAnyKind("3")
            if packet.kind == .pong { return }
          }
        }
      },
      rule("refusal", "Old clients are refused with 44 too.") { trial in
        let yard = try await trial.courtyard()
        let name = try await yard.sharedChannel().namespace
        try await trial.withSocket(.webSocket, handshake(yard.c)) { socket in
          let packet = try await socket.connect(name)
          try expect(packet.kind == .connectError, "44", seen: packet.wireText)
        }
      },
    ]
}
