import MadangAPI
import NIOHTTP1

enum WorkspaceChangeRules {
  static let all: [Rule] = [
    .shape("workspaces.edit.shape", .objects, "Editing a workspace answers exactly its keys.", \.workspace) {
      let person = try await $0.person()
      let workspace = try await person.workspace()
      return try await person.call(.PUT, workspace.path, .multipart([.text("description", "d"), .file("image")]))
    },
    Rule(
      "workspaces.edit.partial", .partialEdits,
      "An edit changes the fields that it names; an empty name means unchanged."
    ) {
      trial in
      let person = try await trial.person()
      let name = Trial.newName()
      let workspace = try await person.workspace(name, description: "first")
      let renamed = try await person.put(workspace.path, ["name": ""])
      try expectEqual("the name", try renamed.text("name"), name)
      try expectEqual("the description", try renamed.text("description"), "first")
      let cleared = try await person.put(workspace.path, ["description": ""])
      try expectEqual("the description", try cleared.text("description"), "")
    },
    Rule("workspaces.edit.own-name", .partialEdits, "The present name is never E12.") { trial in
      let person = try await trial.person()
      let name = Trial.newName()
      let workspace = try await person.workspace(name)
      try await person.call(.PUT, workspace.path, .json(["name": .text(name), "description": "d"])).isSuccess()
    },
    Rule("workspaces.edit.picture-stays", .partialEdits, "A missing or empty picture leaves the picture as it is.") {
      trial in
      let person = try await trial.person()
      let parts: [RequestBody.Part] = [.text("name", Trial.newName()), .file("image")]
      let made = try await person.call(.POST, "workspaces", .multipart(parts)).json()
      let key = trial.isOctober ? "coverImage" : "thumbnail"
      let path = "workspaces/\(try made.id("workspace_id"))"
      for parts: [RequestBody.Part] in [[.text("description", "d")], [.file("image", [])]] {
        let edited = try await person.call(.PUT, path, .multipart(parts)).json()
        try expectEqual("the picture", edited[key], made[key])
      }
    },
    .refusal(.duplicate, "workspaces.edit.taken", .textRules, "Another workspace's name is E12.") {
      let person = try await $0.person()
      let name = Trial.newName()
      _ = try await person.workspace(name)
      return try await person.call(.PUT, try await person.workspace().path, .json(["name": .text(name)]))
    },
    .refusal(.badRequest, "workspaces.edit.bad-name", .textRules, "A name of more than 30 characters is E11.") {
      let person = try await $0.person()
      let name = JSON.text(String(repeating: "x", count: 31))
      return try await person.call(.PUT, try await person.workspace().path, .json(["name": name]))
    },
    .refusal(.notOwner, "workspaces.edit.not-owner", .errorCodes, "An edit by a member who is not the owner is E14.") {
      let yard = try await $0.courtyard()
      return try await yard.b.call(.PUT, yard.workspace.path, .json(["description": "x"]))
    },
    .refusal(.notFound, "workspaces.edit.stranger", .workspaces, "An edit by an account outside the workspace is E13.")
    {
      let yard = try await $0.courtyard()
      return try await yard.c.call(.PUT, yard.workspace.path, .json(["description": "x"]))
    },
    .refusal(.notOwner, "workspaces.delete.not-owner", .errorCodes, "Deleting by a member who is not the owner is E14.")
    {
      let yard = try await $0.courtyard()
      return try await yard.b.call(.DELETE, yard.workspace.path)
    },
    Rule(
      "workspaces.delete", .workspaces,
      "A deleted workspace is gone for all members, with its rooms, and its name is free."
    ) { trial in
      let yard = try await trial.courtyard()
      let rooms = try await yard.rooms()
      try await yard.a.call(.DELETE, yard.workspace.path).isEmptySuccess(in: trial.edition)
      for person in [yard.a, yard.b] {
        try await person.call(.GET, yard.workspace.path).isRefused(.notFound)
        try expectEqual("workspaces", try await person.list("workspaces").count, 0)
      }
      for room in rooms { try await yard.b.call(.POST, room.chats, .json(["content": "x"])).isRefused(.notFound) }
      _ = try await yard.c.workspace(try yard.workspace.object.text("name"))
    },
    .shape(
      "workspaces.hand-over.shape", .objects, "Handing a workspace over answers the workspace with its new owner.",
      \.workspace
    ) {
      let yard = try await $0.courtyard()
      return try await yard.a.handOver(yard.workspace.path, to: try yard.b.userID)
    },
    Rule(
      "workspaces.hand-over", .workspaces,
      "The new owner owns the default channel too; the former one stays a member and may leave."
    ) { trial in
      let yard = try await trial.courtyard()
      let handed = try await yard.a.handOver(yard.workspace.path, to: try yard.b.userID).json()
      try expectEqual("the owner", handed["owner_id"], try yard.b.userID)
      let channels = try await yard.a.list(yard.workspace.myChannels)
      try expectEqual("the default channel's owner", channels.first?["owner_id"], try yard.b.userID)
      try await yard.a.call(.DELETE, yard.workspace.path).isRefused(.notOwner)
      try await yard.a.call(.GET, yard.workspace.leave).isSuccess()
    },
    Rule("workspaces.hand-over.oneself", .workspaces, "Handing over to oneself changes nothing.") { trial in
      let yard = try await trial.courtyard()
      let same = try await yard.a.handOver(yard.workspace.path, to: try yard.a.userID).json()
      try expectEqual("the owner", same["owner_id"], try yard.a.userID)
    },
    .refusal(
      .notFound, "workspaces.hand-over.no-member", .workspaces,
      "Handing over to an account outside the workspace is E13."
    ) {
      let yard = try await $0.courtyard()
      return try await yard.a.handOver(yard.workspace.path, to: try yard.c.userID)
    },
    .refusal(.notOwner, "workspaces.hand-over.not-owner", .workspaces, "Only the owner hands over: E14.") {
      let yard = try await $0.courtyard()
      return try await yard.b.handOver(yard.workspace.path, to: try yard.b.userID)
    },
    .refusal(
      .badRequest, "workspaces.hand-over.missing", .workspaceEndpoints, "Handing over without owner_id is E11.",
      in: [.october2024]
    ) {
      let yard = try await $0.courtyard()
      return try await yard.a.call(.PUT, yard.workspace.path + "/transfer/ownership", .json([:]))
    },
  ]
}
