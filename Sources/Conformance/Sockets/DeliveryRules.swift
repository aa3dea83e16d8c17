import MadangAPI
import NIOHTTP1
import SocketIOProtocol

/// Which sockets get which chats, and in which order (wire contract, Socket events).
enum DeliveryRules {
  /// A rule that a chat of each kind of room comes to sockets of both people over a transport.
  private static func delivered(over carrier: EngineSocket.Carrier) -> Rule {
    Rule(
      "sockets.delivery.\(carrier.rawValue)", .socketEvents,
      "A chat reaches every socket of its room, equal to the answer to its POST (\(carrier.rawValue))."
    ) { trial in
      let yard = try await trial.courtyard()
      for room in try await yard.rooms() {
        try await trial.withSocket(in: room, as: yard.a, carrier) { a in
          try await trial.withSocket(in: room, as: yard.b, carrier) { b in
            let answer = try await yard.a.call(
              .POST, room.chats, .multipart([.text("content", "\"hi\"\n각😀"), .file("files")]))
            for socket in [a, b] {
              let heard = try await socket.event()
              try expectEqual("the event", heard.event.name, room.event)
              try expectEqual("the chat", try heard.event.chat(), try answer.json())
            }
          }
        }
      }
    }
  }

  /// A rule that access ends with `41`.
  private static func ended(
    _ id: String, _ sentence: String, by end: @escaping @Sendable (Courtyard, Room) async throws -> Answer
  ) -> Rule {
    Rule(id, .socketEvents, sentence) { trial in
      let yard = try await trial.courtyard()
      let room = try await yard.sharedChannel()
      try await trial.withSocket(in: room, as: yard.b) { socket in
        try await end(yard, room).isSuccess()
        let packet = try await socket.next(in: try room.namespace, "41\(try room.namespace),")
        try expect(
          packet.kind == .disconnect, "41", seen: packet.wireText)
        // The session itself goes on.
        try await socket.join("/")
      }
    }
  }

  static let all: [Rule] =
    EngineSocket.Carrier.allCases.map(delivered) + [
      Rule("sockets.delivery.one-object", .socketEvents, "An event carries exactly one argument, a JSON object.") {
        trial in
        let yard = try await trial.courtyard()
        for room in try await yard.rooms() {
          try await trial.withSocket(in: room, as: yard.b) { socket in
            _ = try await yard.a.say("hi", in: room)
            let chat = try await socket.event().event.chat()
            let shape = room.event == "channel" ? trial.shapes.channelChat : trial.shapes.directMessage
            try shape.check(chat, at: "the argument")
          }
        }
      },
      Rule("sockets.delivery.sender", .socketEvents, "The sender's own sockets get the chat too.") { trial in
        let yard = try await trial.courtyard()
        let room = try await yard.sharedChannel()
        try await trial.withSocket(in: room, as: yard.a) { socket in
          _ = try await yard.a.say("mine", in: room)
          try expectEqual("the events received", try await socket.content(), "mine")
        }
      },
      Rule("sockets.delivery.once", .socketEvents, "Each socket gets each chat once.") { trial in
        let yard = try await trial.courtyard()
        let room = try await yard.sharedChannel()
        try await trial.withSocket(in: room, as: yard.b) { socket in
          for text in ["one", "two", "three"] { _ = try await yard.a.say(text, in: room) }
          for text in ["one", "two", "three"] {
            try expectEqual("the events received", try await socket.content(), text)
          }
        }
      },
      Rule(
        "sockets.delivery.order", .socketEvents,
        "Chats arrive in the order of createdAt, also when many are posted at once."
      ) { trial in
        let yard = try await trial.courtyard()
        let room = try await yard.sharedChannel()
        try await trial.withSocket(in: room, as: yard.b) { socket in
          try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<10 {
              group.addTask { _ = try await (number % 2 == 0 ? yard.a : yard.b).say("\(number)", in: room) }
            }
            try await group.waitForAll()
          }
          var heard: [String] = []
          for _ in 0..<10 { heard.append(try await socket.event().event.chat().id("chat_id")) }
          try expectEqual("the chats received", heard, try await yard.b.history(of: room).ids("chat_id"))
        }
      },
      Rule("sockets.delivery.after-commit", .socketEvents, "The history read on an event contains its chat.") {
        trial in
        let yard = try await trial.courtyard()
        let room = try await yard.sharedChannel()
        try await trial.withSocket(in: room, as: yard.b) { socket in
          for number in 0..<5 {
            async let posted = yard.a.say("\(number)", in: room)
            let chat = try await socket.event().event.chat()
            let history = try await yard.b.history(of: room)
            try expect(history.contains(chat), "the chat in the history", seen: "a history without it")
            _ = try await posted
          }
        }
      },
      Rule("sockets.delivery.no-replay", .socketEvents, "A joining socket gets no old chats.") { trial in
        let yard = try await trial.courtyard()
        let room = try await yard.sharedChannel()
        _ = try await yard.a.say("before", in: room)
        try await trial.withSocket(in: room, as: yard.b) { socket in
          _ = try await yard.a.say("after", in: room)
          try expectEqual("the first event received", try await socket.content(), "after")
        }
      },
      Rule("sockets.delivery.only-chats", .socketEvents, "Only new chats are sent.") { trial in
        let yard = try await trial.courtyard()
        let room = try await yard.sharedChannel()
        try await trial.withSocket(in: room, as: yard.b) { socket in
          _ = try await yard.a.put(room.path, ["description": "changed"])
          _ = try await yard.a.put(yard.a.profilePath, ["nickname": "Nara"])
          try await yard.a.invite(yard.c, to: yard.workspace)
          _ = try await yard.c.history(of: room)
          _ = try await yard.c.say("hi", in: room)
          try expectEqual("the first event received", try await socket.content(), "hi")
        }
      },
      Rule("sockets.delivery.own-room", .socketEvents, "A chat reaches its room only.") { trial in
        let yard = try await trial.courtyard()
        let (first, second) = (try await yard.sharedChannel("one"), try await yard.sharedChannel("two"))
        try await trial.withSocket(in: first, as: yard.b) { socket in
          _ = try await yard.a.say("elsewhere", in: second)
          _ = try await yard.a.say("here", in: first)
          try expectEqual("the first event received", try await socket.content(), "here")
        }
      },
      Rule(
        "sockets.delivery.alias", .socketEvents,
        "/ws-dm-<channel id> is the channel's namespace too, with the event channel.",
        in: [.october2024]
      ) { trial in
        let yard = try await trial.courtyard()
        let room = try await yard.sharedChannel()
        let name = RoomNamespace(.dm, try room.id).name
        try await trial.withSocket { socket in
          try await socket.join(name, payload: yard.b.credentials)
          let chat = try await yard.a.say("hi", in: room)
          let heard = try await socket.event()
          try expectEqual("the namespace", heard.namespace, name)
          try expectEqual("the event", heard.event.name, "channel")
          try expectEqual("the chat", try heard.event.chat(), chat)
        }
      },
      Rule(
        "sockets.delivery.editions", .sharedData, "A chat reaches sockets of both editions, each in its own form.",
        needs: [.bothEditions]
      ) { trial in
        let person = try await trial.person()
        let workspace = try await person.workspace()
        let room = try await person.channel(in: workspace)
        let other = try await trial.other.signIn(person)
        guard let found = try await other.list("workspaces").first else {
          throw Violation(expected: "the workspace", seen: "none")
        }
        let channels = try await other.list("workspaces/\(try found.id("workspace_id"))/channels")
        guard let channel = channels.first else { throw Violation(expected: "the channel", seen: "none") }
        try await trial.withSocket { socket in
          try await socket.join(RoomNamespace(.channel, try channel.id("channel_id")).name, payload: other.credentials)
          _ = try await person.say("hi", in: room)
          let chat = try await socket.event().event.chat()
          try other.trial.shapes.channelChat.check(chat, at: "the argument")
        }
      },
      ended("sockets.ends.left", "Leaving the workspace disconnects from its rooms with 41.") { yard, _ in
        try await yard.b.call(.GET, yard.workspace.leave)
      },
      ended("sockets.ends.deleted", "When a channel is deleted its sockets are disconnected with 41.") { yard, room in
        try await yard.a.call(.DELETE, room.path)
      },
      ended(
        "sockets.ends.workspace-deleted", "When a workspace is deleted its rooms' sockets are disconnected with 41."
      ) { yard, _ in
        try await yard.a.call(.DELETE, yard.workspace.path)
      },
    ]
}
