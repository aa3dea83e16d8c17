import MadangAPI
import NIOHTTP1

enum ChannelRules {
  static let all: [Rule] = [
    .shape("channels.create.shape", .objects, "Creating a channel answers exactly its keys.", \.channel) {
      let person = try await $0.person()
      return try await person.call(
        .POST, try await person.workspace().channels, .json(["name": "ios", "description": "d"]))
    },
    Rule("channels.create.values", .channels, "Any member may create; the creator is owner and first member.") {
      trial in
      let yard = try await trial.courtyard()
      let room = try await yard.b.channel("  잡담 ", in: yard.workspace)
      try expectEqual("the name, trimmed", try room.object.text("name"), "잡담")
      try expectEqual("the description", try room.object.text("description"), "")
      try expectEqual("the owner", room.object["owner_id"], try yard.b.userID)
      let names = try await yard.b.list(yard.workspace.myChannels).texts("name")
      try expectEqual("my channels", names, ["잡담", "일반"])
    },
    .shape("channels.create.picture", .channelEndpoints, "A channel takes a picture.", in: [.october2024], \.channel) {
      let person = try await $0.person()
      let parts: [RequestBody.Part] = [.text("name", "ios"), .file("image")]
      return try await person.call(.POST, try await person.workspace().channels, .multipart(parts))
    },
    .refusal(.duplicate, "channels.create.taken", .textRules, "A name that a channel of the workspace has is E12.") {
      let yard = try await $0.courtyard()
      _ = try await yard.a.channel("ios", in: yard.workspace)
      return try await yard.b.call(.POST, yard.workspace.channels, .json(["name": " ios"]))
    },
    Rule("channels.create.elsewhere", .textRules, "Channel names are unique in their workspace only.") { trial in
      let person = try await trial.person()
      for _ in 0..<2 { _ = try await person.channel("ios", in: try await person.workspace()) }
    },
    Rule(
      "channels.create.bad-name", .textRules,
      "A name has 1 to 30 characters and is not 'my', '.' or '..'; in 2024-01 it has no '/'."
    ) { trial in
      let person = try await trial.person()
      let path = try await person.workspace().channels
      let names: [JSON] = ["", "  ", "my", ".", "..", .text(String(repeating: "x", count: 31))]
      for name in names + (trial.isOctober ? [] : ["a/b"]) {
        try await person.call(.POST, path, .json(["name": name])).isRefused(.badRequest)
      }
      try await person.call(.POST, path, .json(["description": "d"])).isRefused(.badRequest)
    },
    .refusal(
      .badRequest, "channels.create.bad-description", .textRules,
      "A description of more than 1000 characters is E11."
    ) {
      let person = try await $0.person()
      let body: JSON = ["name": "ios", "description": .text(String(repeating: "각", count: 1001))]
      return try await person.call(.POST, try await person.workspace().channels, .json(body))
    },
    .refusal(.notFound, "channels.create.stranger", .workspaces, "Creating a channel in a workspace of others is E13.")
    {
      let yard = try await $0.courtyard()
      return try await yard.c.call(.POST, yard.workspace.channels, .json(["name": "ios"]))
    },
    .shape("channels.list.shape", .objects, "The channels have exactly their keys.", \.channels) {
      let yard = try await $0.courtyard()
      _ = try await yard.a.channel(in: yard.workspace)
      return try await yard.b.call(.GET, yard.workspace.channels)
    },
    Rule("channels.list.order", .listOrder, "The list has all channels, joined or not, newest first.") { trial in
      let yard = try await trial.courtyard()
      for name in ["one", "two"] { _ = try await yard.a.channel(name, in: yard.workspace) }
      try expectEqual("channels", try await yard.b.list(yard.workspace.channels).texts("name"), ["two", "one", "일반"])
    },
    .shape("channels.mine.shape", .objects, "My channels have exactly their keys.", \.channels) {
      let yard = try await $0.courtyard()
      return try await yard.b.call(.GET, yard.workspace.myChannels)
    },
    Rule(
      "channels.mine", .channelEndpoints,
      "My channels are the joined ones, each once, newest first, with the default channel."
    ) { trial in
      let yard = try await trial.courtyard()
      _ = try await yard.sharedChannel("one")
      _ = try await yard.a.channel("two", in: yard.workspace)
      try expectEqual("my channels", try await yard.b.list(yard.workspace.myChannels).texts("name"), ["one", "일반"])
    },
    .shape(
      "channels.detail.shape", .objects, "A channel's detail has exactly its keys, with members.", \.channelDetail
    ) {
      let yard = try await $0.courtyard()
      return try await yard.b.call(.GET, try await yard.a.channel(in: yard.workspace).path)
    },
    .refusal(.notFound, "channels.detail.unknown", .errorCodes, "An unknown channel is E13.") {
      let yard = try await $0.courtyard()
      return try await yard.a.call(.GET, "\(yard.workspace.channels)/\($0.unknownID)")
    },
    .refusal(.notFound, "channels.detail.elsewhere", .errorCodes, "A channel of another workspace is E13.") {
      let yard = try await $0.courtyard()
      let room = try await yard.a.channel("elsewhere", in: try await yard.a.workspace())
      let segment = room.path.split(separator: "/").last.map(String.init) ?? ""
      return try await yard.a.call(.GET, "\(yard.workspace.channels)/\(segment)")
    },
    .shape("channels.edit.shape", .objects, "Editing a channel answers exactly its keys.", \.channel) {
      let (person, room) = try await $0.personInChannel()
      return try await person.call(.PUT, room.path, .json(["name": "macos", "description": "d"]))
    },
    Rule(
      "channels.edit.partial", .partialEdits,
      "An edit changes the fields that it names; the present name is not a duplicate."
    ) {
      trial in
      let (person, room) = try await trial.personInChannel()
      let edited = try await person.put(room.path, ["name": "ios", "description": "d"])
      try expectEqual("the description", try edited.text("description"), "d")
      let same = try await person.put(room.path, ["name": ""])
      try expectEqual("name and description", [try same.text("name"), try same.text("description")], ["ios", "d"])
    },
    .refusal(.duplicate, "channels.edit.taken", .textRules, "Another channel's name is E12.") {
      let person = try await $0.person()
      let workspace = try await person.workspace()
      _ = try await person.channel("one", in: workspace)
      return try await person.call(.PUT, try await person.channel("two", in: workspace).path, .json(["name": "one"]))
    },
    .refusal(.notOwner, "channels.edit.not-owner", .errorCodes, "An edit by a member who is not the owner is E14.") {
      let yard = try await $0.courtyard()
      return try await yard.b.call(.PUT, try await yard.sharedChannel().path, .json(["description": "x"]))
    },
    .refusal(.badRequest, "channels.edit.default-name", .channels, "The default channel cannot be renamed: E11.") {
      let person = try await $0.person()
      let room = try await person.defaultChannel(of: try await person.workspace())
      return try await person.call(.PUT, room.path, .json(["name": "general"]))
    },
    Rule(
      "channels.edit.default", .channels, "The default channel's description may be edited, with its name sent along."
    ) { trial in
      let person = try await trial.person()
      let room = try await person.defaultChannel(of: try await person.workspace())
      let edited = try await person.put(room.path, ["name": "일반", "description": "d"])
      try expectEqual("the description", try edited.text("description"), "d")
    },
  ]
}
