import MadangAPI
import NIOHTTP1

enum ChatRules {
  private static func post(_ trial: Trial, _ body: RequestBody) async throws -> Answer {
    let (person, room) = try await trial.personInChannel()
    return try await person.call(.POST, room.chats, body)
  }

  static let all: [Rule] = [
    .shape("chats.post.shape", .objects, "Posting answers exactly the chat's keys.", \.channelChat) {
      try await post($0, .multipart([.text("content", "hi"), .file("files"), .file("files", Sample.jpeg)]))
    },
    Rule("chats.post.values", .chats, "A chat has its content, its sender, its channel and no files.") { trial in
      let (person, room) = try await trial.personInChannel()
      let chat = try await person.say("hi", in: room)
      try expectEqual("the content", try chat.text("content"), "hi")
      try expectEqual("the sender", chat["user"], try person.member)
      try expectEqual("the channel", chat["channel_id"], room.object["channel_id"])
      try expectEqual("its name", try chat.text("channelName"), "ios")
      try expectEqual("the files", try chat.list("files"), [])
    },
    Rule(
      "chats.post.verbatim", .textRules,
      "Content is stored verbatim: blanks, line feeds, quotes, emoji, every script."
    ) { trial in
      let (person, room) = try await trial.personInChannel()
      let texts = ["  a\n\"b\"\t\\ ", "각\u{1100}\u{1161}", "👩‍👩‍👧‍👦🏳️‍🌈", "\u{202E}شكرا\u{2028}", "<b>&amp;</b>"]
      for text in texts {
        let content = try await person.say(text, in: room).text("content")
        try expectEqual("the bytes of the content", Array(content.utf8), Array(text.utf8))
      }
      let kept = try await person.history(of: room).texts("content")
      try expectEqual("the bytes in the history", kept.map { Array($0.utf8) }, texts.map { Array($0.utf8) })
    },
    Rule("chats.post.empty", .textRules, "A chat needs a content that is not blank, or a file: else E11.") { trial in
      let (person, room) = try await trial.personInChannel()
      let bodies: [RequestBody] = [
        .json(["content": ""]), .json(["content": "  \n"]), .json([:]), .multipart([.text("content", "")]),
        .multipart([.file("files", [])]), .json(["files": []]),
      ]
      for body in bodies { try await person.call(.POST, room.chats, body).isRefused(.badRequest) }
    },
    Rule("chats.post.files-only", .textRules, "A chat of files only has the content \"\".") { trial in
      for parts: [RequestBody.Part] in [[.file("files")], [.text("content", ""), .file("files")]] {
        let chat = try await post(trial, .multipart(parts)).json()
        try expectEqual("the content", try chat.text("content"), "")
        try expectEqual("the number of files", try chat.list("files").count, 1)
      }
    },
    Rule("chats.post.length", .textRules, "Content has up to 10,000 characters; more is E11.") { trial in
      let (person, room) = try await trial.personInChannel()
      try await person.call(.POST, room.chats, .json(["content": .text(String(repeating: "각", count: 10_000))]))
        .isSuccess()
      try await person.call(.POST, room.chats, .json(["content": .text(String(repeating: "각", count: 10_001))]))
        .isRefused(.badRequest)
    },
    Rule("chats.post.five-files", .sizeLimits, "A chat takes five files; six are E11, and nothing is stored.") {
      trial in
      let (person, room) = try await trial.personInChannel()
      let five = [RequestBody.Part](repeating: .file("files"), count: 5)
      let chat = try await person.call(.POST, room.chats, .multipart(five)).json()
      try expectEqual("the number of files", try chat.list("files").count, 5)
      try await person.call(.POST, room.chats, .multipart(five + [.file("files")])).isRefused(.badRequest)
      try expectEqual("chats", try await person.history(of: room).count, 1)
    },
    .refusal(
      .badRequest, "chats.post.bad-file", .fileTypes, "A file of another type is E11, also beside good files."
    ) {
      try await post($0, .multipart([.text("content", "hi"), .file("files"), .file("files", Sample.text)]))
    },
    .refusal(.notFound, "chats.post.stranger", .workspaces, "Posting in a workspace of others is E13.") {
      let yard = try await $0.courtyard()
      return try await yard.c.call(.POST, try await yard.sharedChannel().chats, .json(["content": "hi"]))
    },
    Rule("chats.present-profile", .chats, "user is the sender's present profile, on old chats too.") { trial in
      let (person, room) = try await trial.personInChannel()
      _ = try await person.say("hi", in: room)
      _ = try await person.put(person.profilePath, ["nickname": "Nara"])
      let user = try await person.history(of: room).first?["user"]
      try expectEqual("the nickname", user?["nickname"], "Nara")
    },
    Rule("ids.form", .ids, "Ids are lower-case UUIDs of version 4 in 2024-10, and positive integers in 2024-01.") {
      trial in
      let yard = try await trial.courtyard()
      let room = try await yard.sharedChannel()
      let ids = [
        try yard.a.userID, try yard.workspace.object.value("workspace_id"), try room.object.value("channel_id"),
        try await yard.a.say("hi", in: room).value("chat_id"),
        try await yard.a.directMessage(with: yard.b, in: yard.workspace).object.value("room_id"),
      ]
      for id in ids { try trial.shapes.id.check(id, at: "an id") }
    },
    Rule("chats.ids", .ids, "The ids of chats are unique over all rooms.") { trial in
      let yard = try await trial.courtyard()
      let rooms = [try await yard.sharedChannel("one"), try await yard.sharedChannel("two")]
      var ids: [String] = []
      for room in rooms { for _ in 0..<2 { ids.append(try await yard.a.say("hi", in: room).id("chat_id")) } }
      try expectEqual("the number of different ids", Set(ids).count, 4)
    },
  ]
}
