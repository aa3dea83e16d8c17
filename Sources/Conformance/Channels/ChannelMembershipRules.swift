import MadangAPI
import NIOHTTP1

enum ChannelMembershipRules {
  private static func names(_ person: Person, _ workspace: Workspace) async throws -> [String] {
    try await person.list(workspace.myChannels).texts("name")
  }

  static let all: [Rule] = [
    Rule("channels.join.history", .channels, "Reading a channel's history joins it, with any cursor.") {
      trial in
      let yard = try await trial.courtyard()
      for (name, query) in [
        ("a", ""), ("b", "?cursor_date="), ("c", "?cursor_date"), ("d", "?cursor_date=2999-01-01T00:00:00.000Z"),
      ] {
        let room = try await yard.a.channel(name, in: yard.workspace)
        _ = try await yard.b.history(of: room, query)
        try expect(try await names(yard.b, yard.workspace).contains(name), "joined with '\(query)'", seen: "not joined")
      }
    },
    Rule(
      "channels.join.nothing-else", .channels,
      "Detail, members and unread counts answer any workspace member without joining."
    ) { trial in
      let yard = try await trial.courtyard()
      let room = try await yard.a.channel(in: yard.workspace)
      try await yard.b.call(.GET, room.path).isSuccess()
      try await yard.b.call(.GET, room.path + "/members").isSuccess()
      try await yard.b.call(.GET, room.unreads + "?after=1970-01-01T00:00:00.000Z").isSuccess()
      try expectEqual("my channels", try await names(yard.b, yard.workspace), ["일반"])
    },
    Rule("channels.join.twice", .channels, "Joining twice at once is one membership.") { trial in
      let yard = try await trial.courtyard()
      let room = try await yard.a.channel(in: yard.workspace)
      async let first = yard.b.history(of: room)
      async let second = yard.b.history(of: room)
      _ = try await (first, second)
      let members = try await yard.a.list(room.path + "/members").texts("nickname")
      try expectEqual("members", members, ["Mina", "Joon"])
    },
    .refusal(
      .notFound, "channels.join.post", .channels, "Posting does not join: without channel membership it is E13."
    ) {
      let yard = try await $0.courtyard()
      return try await yard.b.call(.POST, try await yard.a.channel(in: yard.workspace).chats, .json(["content": "hi"]))
    },
    .shape("channels.members.shape", .objects, "A channel's members have exactly their keys.", \.members) {
      let yard = try await $0.courtyard()
      return try await yard.b.call(.GET, try await yard.a.channel(in: yard.workspace).path + "/members")
    },
    Rule(
      "channels.leave", .channels,
      "Leaving answers the channels still joined, and joining again shows the whole history."
    ) { trial in
      let yard = try await trial.courtyard()
      let room = try await yard.sharedChannel()
      _ = try await yard.a.say("one", in: room)
      let left = try await yard.b.call(.GET, room.leave).hasShape(trial.shapes.channels)
      guard case .list(let rest) = left else { return }
      try expectEqual("channels still joined", try rest.texts("name"), ["일반"])
      try await yard.b.call(.POST, room.chats, .json(["content": "x"])).isRefused(.notFound)
      try expectEqual("history after joining again", try await yard.b.history(of: room).texts("content"), ["one"])
    },
    .refusal(.notFound, "channels.leave.no-member", .channels, "Leaving a channel without being its member is E13.") {
      let yard = try await $0.courtyard()
      return try await yard.b.call(.GET, try await yard.a.channel(in: yard.workspace).leave)
    },
    .refusal(
      .badRequest, "channels.leave.default", .channels, "The default channel cannot be left: E11, for its owner too."
    ) {
      let person = try await $0.person()
      return try await person.call(.GET, try await person.defaultChannel(of: try await person.workspace()).leave)
    },
    .refusal(.mustHandOver, "channels.leave.owner", .channels, "A channel's owner cannot leave it: E15.") {
      let person = try await $0.person()
      return try await person.call(.GET, try await person.channel(in: try await person.workspace()).leave)
    },
    .shape(
      "channels.hand-over.shape", .objects, "Handing a channel over answers the channel with its new owner.", \.channel
    ) {
      let yard = try await $0.courtyard()
      return try await yard.a.handOver(try await yard.sharedChannel().path, to: try yard.b.userID)
    },
    Rule("channels.hand-over", .channels, "The former owner stays a member, and may leave.") { trial in
      let yard = try await trial.courtyard()
      let room = try await yard.sharedChannel()
      let handed = try await yard.a.handOver(room.path, to: try yard.b.userID).json()
      try expectEqual("the owner", handed["owner_id"], try yard.b.userID)
      try await yard.a.call(.PUT, room.path, .json(["description": "x"])).isRefused(.notOwner)
      try await yard.a.call(.GET, room.leave).isSuccess()
    },
    .refusal(
      .notFound, "channels.hand-over.no-member", .channels, "Handing over to an account outside the channel is E13."
    ) {
      let yard = try await $0.courtyard()
      return try await yard.a.handOver(try await yard.a.channel(in: yard.workspace).path, to: try yard.b.userID)
    },
    .refusal(.notOwner, "channels.hand-over.not-owner", .channels, "Only a channel's owner hands it over: E14.") {
      let yard = try await $0.courtyard()
      return try await yard.b.handOver(try await yard.sharedChannel().path, to: try yard.b.userID)
    },
    .refusal(.badRequest, "channels.hand-over.default", .channels, "The default channel cannot be handed over: E11.") {
      let yard = try await $0.courtyard()
      return try await yard.a.handOver(try await yard.a.defaultChannel(of: yard.workspace).path, to: try yard.b.userID)
    },
    Rule("channels.delete", .channels, "A deleted channel is gone, and its name is free.") { trial in
      let yard = try await trial.courtyard()
      let room = try await yard.sharedChannel()
      try await yard.a.call(.DELETE, room.path).isEmptySuccess(in: trial.edition)
      try await yard.b.call(.GET, room.path).isRefused(.notFound)
      try expectEqual("channels", try await yard.b.list(yard.workspace.channels).texts("name"), ["일반"])
      _ = try await yard.b.channel("ios", in: yard.workspace)
    },
    .refusal(.notOwner, "channels.delete.not-owner", .channels, "Only a channel's owner deletes it: E14.") {
      let yard = try await $0.courtyard()
      return try await yard.b.call(.DELETE, try await yard.sharedChannel().path)
    },
    .refusal(.badRequest, "channels.delete.default", .channels, "The default channel cannot be deleted: E11.") {
      let person = try await $0.person()
      return try await person.call(.DELETE, try await person.defaultChannel(of: try await person.workspace()).path)
    },
  ]
}
