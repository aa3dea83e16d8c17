import MadangAPI
import NIOHTTP1

enum FileAccessRules {
  /// The paths of one file in each of the rooms.
  private static func paths(_ yard: Courtyard) async throws -> [String] {
    var paths: [String] = []
    for room in try await yard.rooms() {
      let chat = try await yard.a.call(.POST, room.chats, .multipart([.file("files")])).json()
      guard case .text(let path)? = try chat.list("files").first else { continue }
      paths.append("/v1" + path)
    }
    return paths
  }

  static let all: [Rule] = [
    Rule("files.access.members", .downloads, "Accounts that may read the room may download its files.") { trial in
      let yard = try await trial.courtyard()
      for path in try await paths(yard) { try await yard.b.call(.GET, path).isSuccess() }
    },
    Rule("files.access.strangers", .downloads, "Files of a room are E13 for accounts that may not read it.") { trial in
      let yard = try await trial.courtyard()
      for path in try await paths(yard) { try await yard.c.call(.GET, path).isRefused(.notFound) }
    },
    Rule(
      "files.access.direct-messages", .downloads,
      "Files of direct messages are E13 for other members of the workspace."
    ) { trial in
      let yard = try await trial.courtyard()
      try await yard.a.invite(yard.c, to: yard.workspace)
      guard let path = try await paths(yard).last else { return }
      try await yard.c.call(.GET, path).isRefused(.notFound)
    },
    Rule("files.access.token", .downloads, "Without a token a file is E02.") { trial in
      let yard = try await trial.courtyard()
      for path in try await paths(yard) { try await trial.call(.GET, path).isRefused(.badToken) }
    },
    Rule("files.access.refresh-token", .downloads, "A refresh token in Authorization downloads files.") { trial in
      let yard = try await trial.courtyard()
      for path in try await paths(yard) { try await trial.call(.GET, path, token: yard.b.refreshToken).isSuccess() }
    },
    Rule("files.access.unknown", .downloads, "An unknown file is E13.") { trial in
      let person = try await trial.person()
      for folder in ["profiles", "workspaceCoverImages", "channelChats", "dmChats"] {
        try await person.call(.GET, "static/\(folder)/none.png").isRefused(.notFound)
      }
    },
    Rule("files.access.deleted", .channels, "Deleting a channel deletes its files.") { trial in
      let yard = try await trial.courtyard()
      let room = try await yard.sharedChannel()
      let chat = try await yard.a.call(.POST, room.chats, .multipart([.file("files")])).json()
      guard case .text(let path)? = try chat.list("files").first else { return }
      try await yard.a.call(.DELETE, room.path).isSuccess()
      try await yard.b.call(.GET, "/v1" + path).isRefused(.notFound)
    },
    Rule("files.access.traversal", .downloads, "Paths that leave the folder find nothing.") { trial in
      let person = try await trial.person()
      for path in ["static/profiles/..%2F..%2Fsecrets", "static/profiles/%2e%2e", "static/%2e%2e/x"] {
        let answer = try await person.call(.GET, path)
        try answer.isRefused(.notFound, .unknownPath)
      }
    },
  ]
}

/// Pictures of people, workspaces and channels.
enum PictureRules {
  static let all: [Rule] = [
    Rule("pictures.any-account", .downloads, "Any signed-in account may download profile and workspace pictures.") {
      trial in
      let (person, stranger) = (try await trial.person(), try await trial.person())
      let profile = try await person.call(.PUT, person.profilePath + "/image", .multipart([.file("image", Sample.gif)]))
      let path = try profile.json().text("profileImage")
      let answer = try await stranger.call(.GET, "/v1" + path)
      try expect(answer.body == Sample.gif, "the picture's bytes", seen: answer.description)
    },
    Rule("pictures.defaults", .storedPaths, "The built-in pictures can be downloaded, as PNG.") { trial in
      let person = try await trial.person()
      for folder in ["workspaceCoverImages", "channelCoverImages"] {
        let answer = try await person.call(.GET, "static/\(folder)/default.png")
        try expectEqual("Content-Type of \(folder)", try answer.header("Content-Type"), "image/png")
      }
    },
    Rule("pictures.in-members", .chats, "A new profile picture shows in every object of that person.") { trial in
      let yard = try await trial.courtyard()
      let room = try await yard.sharedChannel()
      _ = try await yard.a.say("hi", in: room)
      let profile = try await yard.a.call(.PUT, yard.a.profilePath + "/image", .multipart([.file("image")])).json()
      let members = try await yard.b.list(yard.workspace.members)
      let member = try members.only("user_id", try yard.a.id)
      try expectEqual("the member's picture", member["profileImage"], profile["profileImage"])
      let user = try await yard.b.history(of: room).first?["user"]
      try expectEqual("the sender's picture", user?["profileImage"], profile["profileImage"])
    },
    Rule("pictures.no-documents", .fileTypes, "PDF and ZIP are for chats only: as pictures they are E11.") { trial in
      let person = try await trial.person()
      for bytes in [Sample.pdf, Sample.zip] {
        let parts: [RequestBody.Part] = [.text("name", Trial.newName()), .file("image", bytes)]
        try await person.call(.POST, "workspaces", .multipart(parts)).isRefused(.badRequest)
      }
    },
    Rule("pictures.paths", .storedPaths, "Paths are /static/<folder>/<name>.<ext> of plain characters, and unique.") {
      trial in
      let person = try await trial.person()
      var paths: [String] = []
      for _ in 0..<3 {
        let parts: [RequestBody.Part] = [.text("name", Trial.newName()), .file("image", filename: "사진 1+2.jpg")]
        let made = try await person.call(.POST, "workspaces", .multipart(parts)).json()
        paths.append(try made.text(trial.isOctober ? "coverImage" : "thumbnail"))
      }
      for path in paths { try expect(Shape.isPath(path, "workspaceCoverImages"), "a plain path", seen: path) }
      try expectEqual("the number of different paths", Set(paths).count, 3)
    },
  ]
}
