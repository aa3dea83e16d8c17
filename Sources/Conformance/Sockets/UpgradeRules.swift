import MadangAPI
import SocketIOProtocol

/// From polling to WebSocket (wire contract, Socket protocol).
enum UpgradeRules {
  private static let once: [EditionName] = [.october2024]

  static let all: [Rule] = [
    Rule("sockets.upgrade.probe", .socketProtocol, "2probe is answered 3probe.", in: once) { trial in
      try await trial.withSocket(.polling) { try await $0.beginUpgrade() }
    },
    Rule(
      "sockets.upgrade.noop", .socketProtocol,
      "A waiting poll is released with a noop 100 ms after the probe, and so are later ones.", in: once, alone: true
    ) { trial in
      try await expectInTime {
        try await trial.withSocket(.polling) { (socket) async throws -> Violation? in
          try await socket.join("/")
          let start = ContinuousClock.now
          async let waiting = socket.poll()
          try await socket.beginUpgrade()
          for number in 1...3 {
            let packets = number == 1 ? try await waiting : try await socket.poll()
            let time = ContinuousClock.now - start
            try expectEqual("poll \(number)", packets, [EnginePacket(.noop)])
            // The first is due after 100 ms. What comes at once loses the joins of a client on a fast network.
            try expect(time >= .milliseconds(90), "a noop 100 ms after the probe", seen: "one after \(time)")
            // Generous, for slow machines and networks.
            guard time < .milliseconds(number * 100 + 3000) else {
              return Violation(expected: "noops every 100 ms", seen: "number \(number) after \(time)")
            }
          }
          return nil
        }
      }
    },
    Rule(
      "sockets.upgrade.posted-noop", .socketProtocol, "A noop that the client POSTs while it upgrades is accepted.",
      in: once
    ) { trial in
      try await EngineSocket.upgrading { (isLast) async throws in
        try await trial.withSocket(.polling) { socket in
          try await socket.beginUpgrade()
          try await socket.post([EnginePacket(.noop)])
          try await socket.completeUpgrade(isLast)
          try await socket.join("/")
        }
      }
    },
    Rule(
      "sockets.upgrade.goes-on", .socketProtocol,
      "After the upgrade the session is the same: chats of joined rooms arrive by WebSocket.", in: once
    ) { trial in
      let yard = try await trial.courtyard()
      let room = try await yard.sharedChannel()
      try await EngineSocket.upgrading { (isLast) async throws in
        try await trial.withSocket(in: room, as: yard.b, .polling) { socket in
          try await socket.beginUpgrade()
          try await socket.completeUpgrade(isLast)
          try await socket.join("/")
          _ = try await yard.a.say("hi", in: room)
          try expectEqual("the chat", try await socket.content(), "hi")
        }
      }
    },
    Rule(
      "sockets.upgrade.late-post", .socketProtocol,
      "A POST after the completed upgrade is answered 'ok' and read.", in: once
    ) { trial in
      let yard = try await trial.courtyard()
      let room = try await yard.sharedChannel()
      try await EngineSocket.upgrading { (isLast) async throws in
        try await trial.withSocket(.polling) { socket in
          try await socket.beginUpgrade()
          try await socket.completeUpgrade(isLast)
          // Its answer shows that the upgrade was heard of.
          try await socket.join("/")
          let payload = Array(yard.a.credentials.text.utf8)
          try await socket.post(SocketPacket(.connect, namespace: try room.namespace, payload: payload).messages())
          let answer = try await socket.next(in: try room.namespace, "an answer to the late join")
          try expect(
            answer.kind == .connect, "the room joined", seen: answer.wireText)
        }
      }
    },
    Rule(
      "sockets.upgrade.polls-hear", .socketProtocol,
      "Until the upgrade is complete, polls answer with packets.", in: once
    ) { trial in
      let yard = try await trial.courtyard()
      let room = try await yard.sharedChannel()
      try await trial.withSocket(in: room, as: yard.b, .polling) { socket in
        try await socket.beginUpgrade()
        _ = try await yard.a.say("hi", in: room)
        let name = try room.namespace
        let heard = try await within("the chat by a poll", limit: trial.server.patience) {
          while true {
            let packets = try await socket.poll()
            if let packet = packets.first(where: { $0.kind == .message }) { return packet }
          }
        }
        let text = String(decoding: heard.data, as: UTF8.self)
        try expect(text.hasPrefix("2\(name),[\"channel\","), "the chat's event", seen: text.shortened)
      }
    },
  ]
}
