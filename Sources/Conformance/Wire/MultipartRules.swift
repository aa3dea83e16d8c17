import MadangAPI
import NIOHTTP1

/// Multipart bodies as clients send them (wire contract, Multipart bodies).
enum MultipartRules {
  private static func workspace(_ trial: Trial, _ parts: [RequestBody.Part]) async throws -> JSON {
    try await trial.person().call(.POST, "workspaces", .multipart(parts)).json()
  }

  /// What a chat of these parts becomes.
  private static func chat(_ trial: Trial, _ parts: [RequestBody.Part]) async throws -> JSON {
    let (person, room) = try await trial.personInChannel()
    return try await person.call(.POST, room.chats, .multipart(parts)).json()
  }

  private static func picture(_ workspace: JSON) throws -> String {
    try workspace.text(workspace["coverImage"] == nil ? "thumbnail" : "coverImage")
  }

  static let all: [Rule] = [
    Rule("multipart.text-with-type", .multipartBodies, "A part without filename is text, with any declared type.") {
      trial in
      let name = Trial.newName()
      let parts = [RequestBody.Part.text("name", name, extra: "\r\nContent-Type: image/jpeg")]
      try expectEqual("the name", try await workspace(trial, parts).text("name"), name)
    },
    Rule("multipart.empty-filename", .multipartBodies, "A part with an empty filename is text.") { trial in
      let name = Trial.newName()
      let parts = [RequestBody.Part.text("name", name, extra: "; filename=\"\"\r\nContent-Type: image/jpeg")]
      try expectEqual("the name", try await workspace(trial, parts).text("name"), name)
    },
    Rule("multipart.zero-byte-file", .multipartBodies, "A file part of zero bytes counts as absent.") { trial in
      let parts: [RequestBody.Part] = [.text("name", Trial.newName()), .file("image", [])]
      let path = try picture(try await workspace(trial, parts))
      try expectEqual("the picture", path, "/static/workspaceCoverImages/default.png")
    },
    Rule("multipart.text-named-image", .multipartBodies, "A text part named image or files is ignored.") { trial in
      let parts: [RequestBody.Part] = [.text("name", Trial.newName()), .text("image", "nil")]
      let path = try picture(try await workspace(trial, parts))
      try expectEqual("the picture", path, "/static/workspaceCoverImages/default.png")
      let chat = try await chat(trial, [.text("content", "hi"), .text("files", "nil")])
      try expectEqual("files of the chat", try chat.list("files"), [])
    },
    Rule(
      "multipart.any-file-name", .multipartBodies, "Every file part of a chat is an attachment, in order of appearance."
    ) { trial in
      let parts: [RequestBody.Part] = [
        .file("files[]", Sample.png), .file("file0", Sample.jpeg), .file("image", Sample.gif),
        .file("files", Sample.png),
      ]
      let files = try await chat(trial, parts).list("files").map(\.text)
      let types = files.map { $0.split(separator: ".").last.map(String.init) ?? "" }
      try expectEqual(
        "the attachments in order", types, ["png\"", "jpeg\"", "gif\"", "png\""],
        cause: types.count < parts.count ? .partNames : nil)
    },
    Rule("multipart.first-file", .multipartBodies, "Without a part named image the first file is the picture.") {
      trial in
      let parts: [RequestBody.Part] = [.file("photo"), .text("name", Trial.newName())]
      let path = try picture(try await workspace(trial, parts))
      try expect(!path.hasSuffix("/default.png"), "a picture of its own", seen: path, cause: .partNames)
    },
    Rule(
      "multipart.picture-twice", .multipartBodies,
      "If a picture is sent as a file part and as a text part of the same name, the file part counts."
    ) { trial in
      let (image, text) = (RequestBody.Part.file("image"), RequestBody.Part.text("image", "bytes in words"))
      for parts in [[image, text], [text, image]] {
        let path = try picture(try await workspace(trial, parts + [.text("name", Trial.newName())]))
        try expect(!path.hasSuffix("/default.png"), "a picture of its own", seen: path)
      }
    },
    Rule("multipart.any-order", .multipartBodies, "Parts come in any order.") { trial in
      let name = Trial.newName()
      let made = try await workspace(trial, [.file("image"), .text("description", "d"), .text("name", name)])
      try expectEqual("name and description", [try made.text("name"), try made.text("description")], [name, "d"])
    },
    Rule(
      "multipart.odd-filenames", .multipartBodies,
      "Filenames may be Korean, repeat, hold blanks, colons and '+', and have no extension."
    ) { trial in
      let names = ["사진 1.jpg", "2024:12:13 07+05", "사진 1.jpg", "x"]
      let files = try await chat(trial, names.map { .file("files", filename: $0) }).list("files")
      try expectEqual("the number of different paths", Set(files.map(\.text)).count, names.count)
    },
    Rule("multipart.empty-text", .multipartBodies, "An empty text part is the empty string.") { trial in
      let made = try await workspace(trial, [.text("name", Trial.newName()), .text("description", "")])
      try expectEqual("the description", try made.text("description"), "")
    },
    Rule("multipart.files-in-json", .encodings, "files and image in JSON are ignored.") { trial in
      let (person, room) = try await trial.personInChannel()
      let chat = try await person.post(room.chats, ["content": "hi", "files": [], "image": "x"])
      try expectEqual("files of the chat", try chat.list("files"), [])
    },
  ]
}
