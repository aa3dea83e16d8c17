import MadangAPI
import NIOHTTP1

enum DirectMessageRules {
  static let all: [Rule] = [
    .shape("dms.list.shape", .objects, "The rooms have exactly their keys.", \.directMessageRooms) {
      let yard = try await $0.courtyard()
      _ = try await yard.a.directMessage(with: yard.b, in: yard.workspace)
      return try await yard.b.call(.GET, yard.workspace.directMessages)
    },
    Rule("dms.list.other-person", .directMessageEndpoints, "user of a room is the other person.") { trial in
      let yard = try await trial.courtyard()
      _ = try await yard.a.directMessage(with: yard.b, in: yard.workspace)
      try expectEqual(
        "user for A", try await yard.a.list(yard.workspace.directMessages).first?["user"], try yard.b.member)
      try expectEqual(
        "user for B", try await yard.b.list(yard.workspace.directMessages).first?["user"], try yard.a.member)
    },
    Rule(
      "dms.list.order", .listOrder,
      "Rooms are ordered by their latest chat, newest first; rooms without chats are listed."
    ) {
      trial in
      let yard = try await trial.courtyard()
      try await yard.a.invite(yard.c, to: yard.workspace)
      let first = try await yard.a.directMessage(with: yard.b, in: yard.workspace)
      let second = try await yard.a.directMessage(with: yard.c, in: yard.workspace)
      let before = try await yard.a.list(yard.workspace.directMessages).ids("room_id")
      try expectEqual("rooms, the newer first", before, [try second.id, try first.id])
      _ = try await yard.a.say("hi", in: first)
      let after = try await yard.a.list(yard.workspace.directMessages).ids("room_id")
      try expectEqual("rooms, the latest chat first", after, [try first.id, try second.id])
    },
    .refusal(.notFound, "dms.list.stranger", .workspaces, "Direct messages of a workspace of others are E13.") {
      let yard = try await $0.courtyard()
      return try await yard.c.call(.GET, yard.workspace.directMessages)
    },
    .shape("dms.post.shape", .objects, "Posting answers exactly the chat's keys.", \.directMessage) {
      let yard = try await $0.courtyard()
      let room = try await yard.a.directMessage(with: yard.b, in: yard.workspace)
      return try await yard.b.call(.POST, room.chats, .multipart([.text("content", "hi"), .file("files")]))
    },
    .shape(
      "dms.history.shape", .objects, "The history has exactly the keys of the contract.", \.directMessageHistory
    ) {
      let yard = try await $0.courtyard()
      let room = try await yard.a.directMessage(with: yard.b, in: yard.workspace)
      _ = try await yard.a.say("hi", in: room)
      return try await yard.b.call(.GET, try room.historyPath(for: yard.b))
    },
    .shape(
      "dms.unread.shape", .objects, "The unread count has exactly the keys of the contract.",
      \.directMessageUnread
    ) {
      let yard = try await $0.courtyard()
      let room = try await yard.a.directMessage(with: yard.b, in: yard.workspace)
      return try await yard.b.call(.GET, room.unreads)
    },
    Rule(
      "dms.strangers", .directMessageEndpoints,
      "A direct message of others is E13, for members of the workspace too."
    ) { trial in
      let yard = try await trial.courtyard()
      try await yard.a.invite(yard.c, to: yard.workspace)
      let room = try await yard.a.directMessage(with: yard.b, in: yard.workspace)
      try await yard.c.call(.POST, room.chats, .json(["content": "x"])).isRefused(.notFound)
      try await yard.c.call(.GET, room.unreads).isRefused(.notFound)
      if trial.isOctober { try await yard.c.call(.GET, room.chats).isRefused(.notFound) }
    },
    .refusal(.notFound, "dms.unknown", .errorCodes, "An unknown room is E13.") {
      let yard = try await $0.courtyard()
      return try await yard.a.call(
        .POST, "\(yard.workspace.directMessages)/\($0.unknownID)/chats", .json(["content": "x"]))
    },
  ]
}

enum DirectMessageOpeningRules {
  private static func roomID(_ answer: Answer) throws -> String { try answer.json().id("room_id") }

  static let all: [Rule] = [
    Rule("dms.open.shape", .objects, "Opening a direct message answers the edition's object.") { trial in
      let yard = try await trial.courtyard()
      let answer = try await yard.a.openDirectMessage(with: try yard.b.userID, in: yard.workspace)
      try answer.hasShape(trial.isOctober ? trial.shapes.directMessageRoom : trial.shapes.directMessageHistory)
    },
    Rule(
      "dms.open.same-room", .directMessages,
      "Two people have one room: opening it again, from either side, answers the same room."
    ) { trial in
      let yard = try await trial.courtyard()
      let first = try roomID(try await yard.a.openDirectMessage(with: try yard.b.userID, in: yard.workspace))
      let again = try roomID(try await yard.a.openDirectMessage(with: try yard.b.userID, in: yard.workspace))
      let back = try roomID(try await yard.b.openDirectMessage(with: try yard.a.userID, in: yard.workspace))
      try expectEqual("the room", [again, back], [first, first])
    },
    Rule("dms.open.parallel", .directMessages, "Parallel openings make one room.") { trial in
      let yard = try await trial.courtyard()
      let ids = try await withThrowingTaskGroup(of: String.self) { group in
        for number in 0..<6 {
          let (from, to) = number % 2 == 0 ? (yard.a, yard.b) : (yard.b, yard.a)
          group.addTask { try roomID(try await from.openDirectMessage(with: try to.userID, in: yard.workspace)) }
        }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      try expectEqual("the number of rooms", ids.count, 1)
    },
    .refusal(.badRequest, "dms.open.oneself", .directMessages, "A direct message with oneself is E11.") {
      let yard = try await $0.courtyard()
      return try await yard.a.openDirectMessage(with: try yard.a.userID, in: yard.workspace)
    },
    .refusal(
      .notFound, "dms.open.no-member", .directMessages,
      "Opening a direct message with an account outside the workspace is E13."
    ) {
      let yard = try await $0.courtyard()
      return try await yard.a.openDirectMessage(with: try yard.c.userID, in: yard.workspace)
    },
    .refusal(.notFound, "dms.open.unknown", .directMessages, "An unknown account is E13.") {
      let yard = try await $0.courtyard()
      return try await yard.a.openDirectMessage(with: $0.unknownIDValue, in: yard.workspace)
    },
    .refusal(
      .badRequest, "dms.open.missing", .directMessageEndpoints, "Opening without opponent_id is E11.",
      in: [.october2024]
    ) {
      let yard = try await $0.courtyard()
      return try await yard.a.call(.POST, yard.workspace.directMessages, .json([:]))
    },
  ]
}
