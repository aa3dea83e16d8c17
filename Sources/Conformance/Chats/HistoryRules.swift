import MadangAPI
import NIOHTTP1

enum HistoryRules {
  static let all: [Rule] = [
    .shape(
      "history.shape", .objects, "A channel's history holds chats of exactly their keys.",
      \.channelHistory
    ) {
      let yard = try await $0.courtyard()
      let room = try await yard.sharedChannel()
      _ = try await yard.a.call(.POST, room.chats, .multipart([.file("files")]))
      return try await yard.b.call(.GET, room.chats)
    },
    Rule("history.order", .listOrder, "Chats come oldest first, all of them.") { trial in
      let yard = try await trial.courtyard()
      for room in try await yard.rooms() {
        let texts = (0..<12).map(String.init)
        for text in texts { _ = try await yard.a.say(text, in: room) }
        try expectEqual("the history", try await yard.b.history(of: room).texts("content"), texts)
      }
    },
    Rule("history.equals-reply", .objects, "A chat in the history equals the answer to its POST.") { trial in
      let yard = try await trial.courtyard()
      for room in try await yard.rooms() {
        let answer = try await yard.a.call(.POST, room.chats, .multipart([.text("content", "hi"), .file("files")]))
        try expectEqual("the chat", try await yard.b.history(of: room).last, try answer.json())
      }
    },
    Rule("history.own-room", .chats, "A room's history holds chats of that room only.") { trial in
      let yard = try await trial.courtyard()
      let rooms = try await yard.rooms()
      for (number, room) in rooms.enumerated() { _ = try await yard.a.say("\(number)", in: room) }
      for (number, room) in rooms.enumerated() {
        try expectEqual("the history", try await yard.b.history(of: room).texts("content"), ["\(number)"])
      }
    },
    .refusal(.notFound, "history.stranger", .workspaces, "The history of a channel in a workspace of others is E13.") {
      let yard = try await $0.courtyard()
      return try await yard.c.call(.GET, try await yard.sharedChannel().chats)
    },
    Rule("history.empty", .channelEndpoints, "A room without chats has an empty history.") { trial in
      let yard = try await trial.courtyard()
      for room in try await yard.rooms() { try expectEqual("chats", try await yard.b.history(of: room).count, 0) }
    },
  ]
}

enum UnreadRules {
  private static let past = "?after=1970-01-01T00:00:00.000Z"

  static let all: [Rule] = [
    .shape("unread.shape", .objects, "A channel's unread count has exactly its keys.", \.channelUnread) {
      let yard = try await $0.courtyard()
      return try await yard.b.call(.GET, try await yard.sharedChannel().unreads)
    },
    Rule("unread.room-id", .objects, "room_id of a channel's unread count is its channel_id.") { trial in
      let yard = try await trial.courtyard()
      let unread = try await yard.b.get(try await yard.sharedChannel().unreads)
      try expectEqual("room_id", unread["room_id"], unread["channel_id"])
    },
    Rule("unread.counts", .unreadCounts, "Chats of others that are newer than the date count.") { trial in
      let yard = try await trial.courtyard()
      for room in try await yard.rooms() {
        let first = try await yard.a.say("one", in: room)
        for text in ["two", "three"] { _ = try await yard.a.say(text, in: room) }
        try expectEqual("unread from the beginning", try await yard.b.unread(in: room, past), 3)
        let count = try await yard.b.unread(in: room, "?after=\(try first.date("createdAt"))")
        try expectEqual("unread after the first", count, 2, cause: count == 3 ? .inclusiveCursor : nil)
      }
    },
    Rule("unread.not-own", .unreadCounts, "The caller's own chats never count.") { trial in
      let yard = try await trial.courtyard()
      for room in try await yard.rooms() {
        _ = try await yard.a.say("mine", in: room)
        _ = try await yard.b.say("theirs", in: room)
        let count = try await yard.a.unread(in: room, past)
        try expectEqual("unread", count, 1, cause: count == 2 ? .ownChatsUnread : nil)
      }
    },
    Rule("unread.cursor-date", .unreadCounts, "cursor_date counts where after is absent.") { trial in
      let yard = try await trial.courtyard()
      let room = try await yard.sharedChannel()
      _ = try await yard.a.say("one", in: room)
      let count = try await yard.b.unread(in: room, "?cursor_date=1970-01-01T00:00:00.000Z")
      try expectEqual("unread", count, 1)
    },
    Rule("unread.before-joining", .channelEndpoints, "A member of the workspace may ask before joining the channel.") {
      trial in
      let yard = try await trial.courtyard()
      let room = try await yard.a.channel(in: yard.workspace)
      _ = try await yard.a.say("one", in: room)
      try expectEqual("unread", try await yard.b.unread(in: room, past), 1)
    },
    .refusal(
      .notFound, "unread.stranger", .workspaces, "The unread count of a channel in a workspace of others is E13."
    ) {
      let yard = try await $0.courtyard()
      return try await yard.c.call(.GET, try await yard.sharedChannel().unreads)
    },
  ]
}
