import MadangAPI
import SocketIOProtocol

/// Joining and leaving namespaces (wire contract, Socket protocol).
enum NamespaceRules {
  static let all: [Rule] = [
    Rule(
      "sockets.connect.namespace", .socketEvents,
      "The namespace of a channel is /ws-channel-<channel_id>, that of a direct message /ws-dm-<room_id>."
    ) { trial in
      let yard = try await trial.courtyard()
      for room in try await yard.rooms() {
        try await trial.withSocket { try await $0.join(room, as: yard.b) }
      }
    },
    Rule("sockets.connect.sid", .socketProtocol, "A connect is answered with exactly one key, sid.") { trial in
      let (person, room) = try await trial.personInChannel()
      try await trial.withSocket { socket in
        let answer = try await socket.connect(try room.namespace, payload: person.credentials)
        try expect(answer.kind == .connect, "40", seen: answer.wireText, cause: answer.causeOfRefusal)
        guard case .object(let object) = try JSON.reading(answer.payload), object.keys.elementsEqual(["sid"]),
          case .text? = object["sid"]
        else { throw Violation(expected: #"{"sid":"..."}"#, seen: String(decoding: answer.payload, as: UTF8.self)) }
      }
    },
    Rule(
      "sockets.connect.payloads", .socketProtocol, "The payload of a connect may be empty, {} or an object.",
      in: [.october2024]
    ) { trial in
      for payload: JSON? in [nil, [:], ["a": 1]] {
        try await trial.withSocket { try await $0.join("/", payload: payload) }
      }
    },
    Rule(
      "sockets.connect.main", .socketProtocol,
      "The main namespace accepts every connection, '40/,' too, and sends nothing.",
      in: [.october2024]
    ) { trial in
      let (person, room) = try await trial.personInChannel()
      try await trial.withSocket { socket in
        try await socket.send([EnginePacket(.message, Array("0/,".utf8))])
        let answer = try await socket.nextMessage("an answer to 40/,")
        try expect(
          answer.kind == .connect && answer.namespace == "/", "40",
          seen: answer.wireText)
        try await socket.join(room, as: person)
        _ = try await person.say("hi", in: room)
        try expectEqual("where the first event came", try await socket.event().namespace, try room.namespace)
      }
    },
    Rule("sockets.leave", .socketProtocol, "Leaving a namespace leaves that one only; it may be joined again.") {
      trial in
      let yard = try await trial.courtyard()
      let (first, second) = (try await yard.sharedChannel("one"), try await yard.sharedChannel("two"))
      try await trial.withSocket(in: first, as: yard.b) { socket in
        try await socket.join(second, as: yard.b)
        try await socket.leave(try first.namespace)
        // The connect's answer shows that the leave was heard of.
        try await socket.join("/")
        _ = try await yard.a.say("missed", in: first)
        _ = try await yard.a.say("heard", in: second)
        try expectEqual("the events received", try await socket.content(), "heard")
        try await socket.join(first, as: yard.b)
        _ = try await yard.a.say("again", in: first)
        try expectEqual("the events received after joining again", try await socket.content(), "again")
      }
    },
    Rule("sockets.leave.engine-stays", .socketProtocol, "After the last namespace was left the session stays open.") {
      trial in
      let (person, room) = try await trial.personInChannel()
      try await trial.withSocket(in: room, as: person) { socket in
        try await socket.leave(try room.namespace)
        try await socket.join(room, as: person)
      }
    },
    Rule("sockets.several", .socketProtocol, "One session joins any number of rooms, each in its own namespace.") {
      trial in
      let yard = try await trial.courtyard()
      let rooms = try await yard.rooms() + [try await yard.sharedChannel("two")]
      try await trial.withSocket { socket in
        for room in rooms { try await socket.join(room, as: yard.b) }
        for room in rooms {
          _ = try await yard.a.say("hi", in: room)
          let heard = try await socket.event()
          try expectEqual("the namespace", heard.namespace, try room.namespace)
          try expectEqual("the event", heard.event.name, room.event)
        }
      }
    },
    Rule(
      "sockets.connect.twice", .socketProtocol, "A second connect of a joined namespace does not double events."
    ) { trial in
      let (person, room) = try await trial.personInChannel()
      try await trial.withSocket(in: room, as: person) { socket in
        try await socket.send(
          SocketPacket(.connect, namespace: try room.namespace, payload: Array(person.credentials.text.utf8)))
        try await socket.join("/")
        for text in ["one", "two"] { _ = try await person.say(text, in: room) }
        try expectEqual(
          "the events received", [try await socket.content(), try await socket.content()], ["one", "two"])
      }
    },
    Rule(
      "sockets.client-events", .socketProtocol,
      "Events, acks and binary packets of clients are ignored: no relay, no reply, no disconnect."
    ) { trial in
      let yard = try await trial.courtyard()
      let room = try await yard.sharedChannel()
      let name = try room.namespace
      try await trial.withSocket(in: room, as: yard.a) { a in
        try await trial.withSocket(in: room, as: yard.b) { b in
          let argument = Array(#"{"content":"forged"}"#.utf8)
          try await a.send(.event("channel", arguments: argument, namespace: name))
          try await a.send(.event("ping", arguments: [], namespace: name, id: AckID(7)))
          try await a.send(.ack(AckID(3), arguments: [], namespace: name))
          let placeholder = Array(#"{"_placeholder":true,"num":0}"#.utf8)
          try await a.send(.event("dm", arguments: placeholder, namespace: name, attachments: [[1, 2, 3]]))
          // Its answer shows that the events were heard of.
          try await a.join("/")
          _ = try await yard.b.say("true", in: room)
          for socket in [a, b] { try expectEqual("the events received", try await socket.content(), "true") }
        }
      }
    },
  ]
}
