import MadangAPI
import NIOHTTP1

enum WorkspaceRules {
  private static func create(_ trial: Trial, _ parts: [RequestBody.Part]) async throws -> Answer {
    try await trial.person().call(.POST, "workspaces", .multipart(parts))
  }

  static let all: [Rule] = [
    .shape("workspaces.create.shape", .objects, "Creating a workspace answers exactly its keys.", \.workspace) {
      try await create($0, [.text("name", Trial.newName()), .text("description", "d"), .file("image")])
    },
    Rule(
      "workspaces.create.values", .workspaceEndpoints,
      "A new workspace has its name, trimmed, its description and its owner."
    ) { trial in
      let person = try await trial.person()
      let name = Trial.newName()
      let object = try await person.workspace("  \(name) ", description: "Optional(\"x\")").object
      try expectEqual("the name", try object.text("name"), name)
      try expectEqual("the description", try object.text("description"), "Optional(\"x\")")
      try expectEqual("the owner", object["owner_id"], try person.userID)
    },
    Rule(
      "workspaces.create.defaults", .textRules,
      "Without description and picture a workspace has \"\" and the built-in picture."
    ) { trial in
      let object = try await trial.person().workspace().object
      try expectEqual("the description", try object.text("description"), "")
      let picture = try object.text(trial.isOctober ? "coverImage" : "thumbnail")
      try expectEqual("the picture", picture, "/static/workspaceCoverImages/default.png")
    },
    Rule(
      "workspaces.create.default-channel", .workspaces,
      "A new workspace has one channel, 일반, with its creator, who owns it."
    ) { trial in
      let person = try await trial.person()
      let workspace = try await person.workspace()
      let channels = try await person.list(workspace.myChannels)
      try expectEqual("names of my channels", try channels.texts("name"), ["일반"])
      try expectEqual("its owner", channels[0]["owner_id"], try person.userID)
      try expect(try channels[0].text("description") != "", "a description that is not empty", seen: "an empty one")
    },
    Rule("workspaces.create.bad-name", .textRules, "A name has 1 to 30 characters, else E11.") { trial in
      let person = try await trial.person()
      for parts: [RequestBody.Part] in [
        [], [.text("name", "")], [.text("name", "  ")], [.text("name", String(repeating: "각", count: 31))],
      ] {
        try await person.call(.POST, "workspaces", .multipart(parts + [.text("description", "d")])).isRefused(
          .badRequest)
      }
    },
    .refusal(
      .badRequest, "workspaces.create.bad-description", .textRules,
      "A description of more than 1000 characters is E11."
    ) {
      try await create($0, [.text("name", Trial.newName()), .text("description", String(repeating: "각", count: 1001))])
    },
    .refusal(.badRequest, "workspaces.create.bad-image", .fileTypes, "A picture that is not an image is E11.") {
      try await create($0, [.text("name", Trial.newName()), .file("image", Sample.text)])
    },
    .refusal(.duplicate, "workspaces.create.taken", .textRules, "A name that any workspace has is E12.") {
      let name = Trial.newName()
      _ = try await $0.person().workspace(name)
      return try await create($0, [.text("name", " \(name)")])
    },
    Rule("workspaces.create.case", .textRules, "Names are compared with case.") { trial in
      let person = try await trial.person()
      let name = Trial.newName("abc")
      _ = try await person.workspace(name)
      _ = try await person.workspace(name.uppercased())
    },
    Rule(
      "workspaces.create.parallel", .orderOfChecks,
      "One of several parallel creations of one name succeeds, the others are E12."
    ) {
      trial in
      let person = try await trial.person()
      let parts = [RequestBody.Part.text("name", Trial.newName())]
      try await parallel(5, successes: 1, others: .duplicate) {
        try await person.call(.POST, "workspaces", .multipart(parts))
      }
      try expectEqual("coins", try await person.coins(), 90)
    },
    .shape(
      "workspaces.list.shape", .objects, "The list of workspaces holds objects of exactly their keys.",
      \.workspaces
    ) {
      let person = try await $0.person()
      _ = try await person.workspace()
      return try await person.call(.GET, "workspaces")
    },
    Rule(
      "workspaces.list.newest-first", .listOrder,
      "Workspaces come newest first, each once, joined ones of others included."
    ) { trial in
      let yard = try await trial.courtyard()
      let own = try await yard.b.workspace()
      let ids = try await yard.b.list("workspaces").ids("workspace_id")
      try expectEqual("workspaces", ids, [try own.id, try yard.workspace.id])
    },
    Rule("workspaces.list.whole", .queries, "A query workspaceID does not narrow the list.") { trial in
      let person = try await trial.person()
      let first = try await person.workspace()
      _ = try await person.workspace()
      try expectEqual("workspaces", try await person.list("workspaces?workspaceID=\(try first.id)").count, 2)
    },
    .shape(
      "workspaces.detail.shape", .objects, "The detail holds all channels and members, of exactly their keys.",
      \.workspaceDetail
    ) {
      let yard = try await $0.courtyard()
      return try await yard.b.call(.GET, yard.workspace.path)
    },
    Rule(
      "workspaces.detail.contents", .workspaceEndpoints,
      "The detail has all channels, newest first, joined or not, and all members."
    ) { trial in
      let yard = try await trial.courtyard()
      _ = try await yard.a.channel("ios", in: yard.workspace)
      let detail = try await yard.b.get(yard.workspace.path)
      try expectEqual("channels", try detail.list("channels").texts("name"), ["ios", "일반"])
      try expectEqual("members", try detail.list("workspaceMembers").texts("nickname"), ["Mina", "Joon"])
    },
    .refusal(.notFound, "workspaces.detail.unknown", .errorCodes, "An unknown workspace is E13.") {
      try await $0.person().call(.GET, "workspaces/\($0.unknownID)")
    },
    .refusal(.notFound, "workspaces.detail.stranger", .errorCodes, "A workspace of others is E13.") {
      let yard = try await $0.courtyard()
      return try await yard.c.call(.GET, yard.workspace.path)
    },
  ]
}
