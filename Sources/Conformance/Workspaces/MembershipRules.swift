import MadangAPI
import NIOHTTP1

enum MembershipRules {
  private static func invite(_ person: Person, _ workspace: Workspace, _ email: String) async throws -> Answer {
    try await person.call(.POST, workspace.members, .json(["email": .text(email)]))
  }

  static let all: [Rule] = [
    .shape("members.invite.shape", .objects, "Inviting answers the invited account.", \.member) {
      let yard = try await $0.courtyard()
      return try await invite(yard.a, yard.workspace, yard.c.email)
    },
    Rule(
      "members.invite", .workspaces, "An invitation takes effect at once: workspace, member list and default channel."
    ) { trial in
      let yard = try await trial.courtyard()
      let invited = try await invite(yard.a, yard.workspace, yard.c.email.uppercased()).json()
      try expectEqual("the invited account", invited, try yard.c.member)
      try expectEqual("workspaces", try await yard.c.list("workspaces").count, 1)
      try expectEqual("my channels", try await yard.c.list(yard.workspace.myChannels).texts("name"), ["일반"])
      let members = try await yard.b.list(yard.workspace.members)
      try expectEqual("members", try members.texts("nickname"), ["Mina", "Joon", "Sora"])
    },
    .refusal(
      .notFound, "members.invite.unknown-2024-10", .errorCodes, "Inviting an e-mail without account is E13.",
      in: [.october2024]
    ) {
      let yard = try await $0.courtyard()
      return try await invite(yard.a, yard.workspace, Trial.newEmail())
    },
    .refusal(
      .noAccount, "members.invite.unknown-2024-01", .errorCodes, "Inviting an e-mail without account is E03.",
      in: [.january2024]
    ) {
      let yard = try await $0.courtyard()
      return try await invite(yard.a, yard.workspace, Trial.newEmail())
    },
    .refusal(.duplicate, "members.invite.member", .workspaces, "Inviting a member is E12.") {
      let yard = try await $0.courtyard()
      return try await invite(yard.a, yard.workspace, yard.b.email)
    },
    .refusal(.notOwner, "members.invite.not-owner", .workspaces, "Only the owner invites: E14.") {
      let yard = try await $0.courtyard()
      return try await invite(yard.b, yard.workspace, yard.c.email)
    },
    .refusal(
      .notFound, "members.invite.stranger", .workspaces, "An invitation by an account outside the workspace is E13."
    ) {
      let yard = try await $0.courtyard()
      return try await invite(yard.c, yard.workspace, yard.c.email)
    },
    .refusal(.badRequest, "members.invite.missing", .workspaceEndpoints, "Inviting without e-mail is E11.") {
      let yard = try await $0.courtyard()
      return try await yard.a.call(.POST, yard.workspace.members, .json([:]))
    },
    .shape("members.list.shape", .objects, "The members have exactly their keys.", \.members) {
      let yard = try await $0.courtyard()
      return try await yard.b.call(.GET, yard.workspace.members)
    },
    Rule("members.list.order", .listOrder, "Members come by joining time, oldest first, the caller included.") {
      trial in
      let yard = try await trial.courtyard()
      try await yard.a.invite(yard.c, to: yard.workspace)
      let members = try await yard.b.list(yard.workspace.members)
      try expectEqual("members", try members.texts("email"), [yard.a.email, yard.b.email, yard.c.email])
    },
    .refusal(.notFound, "members.list.stranger", .workspaces, "The members of a workspace of others are E13.") {
      let yard = try await $0.courtyard()
      return try await yard.c.call(.GET, yard.workspace.members)
    },
    .shape("members.one.shape", .objects, "One member has exactly a member's keys.", \.member) {
      let yard = try await $0.courtyard()
      return try await yard.a.call(.GET, "\(yard.workspace.members)/\(try yard.b.id)")
    },
    Rule("members.one.unknown", .workspaceEndpoints, "An account outside the workspace is E13.") { trial in
      let yard = try await trial.courtyard()
      for id in [try yard.c.id, trial.unknownID, "0"] {
        try await yard.a.call(.GET, "\(yard.workspace.members)/\(id)").isRefused(.notFound)
      }
    },
    Rule(
      "members.leave", .workspaces,
      "Leaving answers the workspaces still joined, and ends membership of the workspace and its channels."
    ) { trial in
      let yard = try await trial.courtyard()
      let room = try await yard.sharedChannel()
      let own = try await yard.b.workspace()
      let left = try await yard.b.call(.GET, yard.workspace.leave).hasShape(trial.shapes.workspaces)
      guard case .list(let rest) = left else { return }
      try expectEqual("workspaces still joined", try rest.ids("workspace_id"), [try own.id])
      try await yard.b.call(.GET, yard.workspace.path).isRefused(.notFound)
      let members = try await yard.a.list(room.path + "/members")
      try expectEqual("members of the channel", try members.texts("nickname"), ["Mina"])
    },
    .refusal(.mustHandOver, "members.leave.owner", .workspaces, "The owner of a workspace cannot leave: E15.") {
      let yard = try await $0.courtyard()
      return try await yard.a.call(.GET, yard.workspace.leave)
    },
    .refusal(
      .mustHandOver, "members.leave.channel-owner", .workspaces,
      "The owner of a channel cannot leave its workspace: E15."
    ) {
      let yard = try await $0.courtyard()
      _ = try await yard.b.channel("design", in: yard.workspace)
      return try await yard.b.call(.GET, yard.workspace.leave)
    },
    .refusal(.notFound, "members.leave.stranger", .workspaces, "Leaving a workspace without being its member is E13.") {
      let yard = try await $0.courtyard()
      return try await yard.c.call(.GET, yard.workspace.leave)
    },
    Rule(
      "members.return", .workspaces,
      "Direct messages stay with the other person, and return when the leaver is invited again."
    ) { trial in
      let yard = try await trial.courtyard()
      let room = try await yard.a.directMessage(with: yard.b, in: yard.workspace)
      _ = try await yard.b.say("bye", in: room)
      try await yard.b.call(.GET, yard.workspace.leave).isSuccess()
      try expectEqual("chats of the one who stayed", try await yard.a.history(of: room).texts("content"), ["bye"])
      _ = try await yard.a.say("come back", in: room)
      try await yard.a.invite(yard.b, to: yard.workspace)
      let rooms = try await yard.b.list(yard.workspace.directMessages)
      try expectEqual("rooms after returning", try rooms.ids("room_id"), [try room.id])
    },
  ]
}

enum SearchRules {
  private static func search(_ yard: Courtyard, _ keyword: String) async throws -> Answer {
    try await yard.b.call(.GET, "\(yard.workspace.path)/search?keyword=\(percentEncoded(keyword))")
  }

  static let all: [Rule] = [
    .shape("search.shape", .objects, "A search answers the workspace with the matches only.", \.workspaceDetail) {
      let yard = try await $0.courtyard()
      return try await search(yard, "mina")
    },
    Rule(
      "search.matches", .workspaceEndpoints,
      "A search looks in channel names, nicknames and e-mails, ignoring case."
    ) { trial in
      let yard = try await trial.courtyard()
      _ = try await yard.a.channel("Minaret", in: yard.workspace)
      let found = try await search(yard, "mINA").json()
      try expectEqual("channels", try found.list("channels").texts("name"), ["Minaret"])
      try expectEqual("members", try found.list("workspaceMembers").texts("nickname"), ["Mina"])
      let byEmail = try await search(yard, yard.b.email).json()
      try expectEqual("members by e-mail", try byEmail.list("workspaceMembers").texts("nickname"), ["Joon"])
    },
    Rule("search.nothing", .workspaceEndpoints, "No match is a success with empty arrays.") { trial in
      let found = try await search(try await trial.courtyard(), "zz%_\(Trial.unique())").json()
      try expectEqual("channels", try found.list("channels"), [])
      try expectEqual("members", try found.list("workspaceMembers"), [])
    },
    Rule("search.bad-keyword", .textRules, "A keyword has 1 to 100 characters, else E11.") { trial in
      let yard = try await trial.courtyard()
      for query in ["", "?keyword", "?keyword=", "?keyword=\(String(repeating: "x", count: 101))"] {
        try await yard.a.call(.GET, yard.workspace.path + "/search" + query).isRefused(.badRequest)
      }
    },
    .refusal(.notFound, "search.stranger", .workspaces, "A search in a workspace of others is E13.") {
      let yard = try await $0.courtyard()
      return try await yard.c.call(.GET, yard.workspace.path + "/search?keyword=a")
    },
  ]
}
