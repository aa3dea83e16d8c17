import MadangAPI
import NIOHTTP1

enum KeyRules {
  static let all: [Rule] = [
    .refusal(.badKey, "key.missing", .orderOfChecks, "A call without SesacKey is E01.") {
      try await $0.call(.GET, "workspaces", key: .none)
    },
    .refusal(.badKey, "key.unknown", .orderOfChecks, "A call with an unknown SesacKey is E01.") {
      try await $0.call(.GET, "workspaces", key: .text("no-such-key"))
    },
    .refusal(
      .badKey, "key.exact", .requestHeaders, "SesacKey is compared exactly: another case of letters is another key."
    ) {
      let swapped = $0.key == $0.key.uppercased() ? $0.key.lowercased() : $0.key.uppercased()
      return try await $0.call(.GET, "workspaces", key: .text(swapped == $0.key ? $0.key + "x" : swapped))
    },
    .refusal(.badKey, "key.public-routes", .orderOfChecks, "Public routes need SesacKey as well.") {
      try await $0.call(.POST, "users/validation/email", key: .none, .json(["email": .text(Trial.newEmail())]))
    },
    .refusal(.badKey, "key.refresh", .requestHeaders, "SesacKey is required on refresh.") {
      let person = try await $0.person()
      return try await $0.call(
        .GET, "auth/refresh", key: .none, headers: [(HeaderName.refreshToken, person.refreshToken)])
    },
    .refusal(.badKey, "key.files", .downloads, "SesacKey is required for files.") {
      let person = try await $0.person()
      return try await $0.call(.GET, "static/workspaceCoverImages/default.png", token: person.token, key: .none)
    },
    .refusal(
      .badToken, "key.token-of-other-edition", .editionOfARequest, "A token works in the edition that issued it only.",
      needs: [.bothEditions]
    ) {
      let person = try await $0.person()
      return try await $0.other.call(.GET, "workspaces", token: person.token)
    },
  ]
}

/// The order of checks: the first failing check decides.
enum OrderRules {
  static let all: [Rule] = [
    .refusal(.badKey, "order.key-before-path", .orderOfChecks, "The key is checked first, on unknown paths too.") {
      try await $0.call(.GET, "no/such/path", key: .text("no-such-key"))
    },
    .refusal(.unknownPath, "order.path-before-token", .orderOfChecks, "An unknown path is E97 without a token as well.")
    {
      try await $0.call(.GET, "workspaces/1/no-such-thing")
    },
    .refusal(.badToken, "order.token-before-body", .orderOfChecks, "A missing token decides before a bad body does.") {
      try await $0.call(.POST, "users/deviceToken", .raw("[", type: "application/json"))
    },
    .refusal(
      .badToken, "order.token-before-membership", .orderOfChecks, "A bad token decides before an unknown workspace."
    ) {
      try await $0.call(.GET, "workspaces/\($0.unknownID)", token: "garbage")
    },
    .refusal(
      .badRequest, "order.body-before-membership", .orderOfChecks, "A bad field decides before an unknown workspace."
    ) {
      try await $0.person().call(.POST, "workspaces/\($0.unknownID)/channels", .json(["name": ""]))
    },
    .refusal(
      .badRequest, "order.query-before-membership", .orderOfChecks, "A bad query decides before an unknown workspace."
    ) {
      try await $0.person().call(.GET, "workspaces/\($0.unknownID)/search?keyword=")
    },
    .refusal(
      .notFound, "order.membership-before-permission", .workspaces,
      "All calls in a workspace of others are E13, never E14."
    ) {
      let yard = try await $0.courtyard()
      return try await yard.c.call(.DELETE, yard.workspace.path)
    },
    .refusal(.notFound, "order.strangers-channel", .workspaces, "A channel of a workspace of others is E13.") {
      let yard = try await $0.courtyard()
      let room = try await yard.a.channel(in: yard.workspace)
      return try await yard.c.call(.PUT, room.path, .json(["description": "x"]))
    },
    .refusal(
      .notOwner, "order.permission-before-state", .orderOfChecks,
      "A caller who is not the owner gets E14 before a duplicate is E12."
    ) {
      let yard = try await $0.courtyard()
      return try await yard.b.call(.POST, yard.workspace.members, .json(["email": .text(yard.a.email)]))
    },
    .refusal(
      .notOwner, "order.permission-before-unknown-account", .workspaces,
      "Inviting: E14 comes before an unknown account."
    ) {
      let yard = try await $0.courtyard()
      return try await yard.b.call(.POST, yard.workspace.members, .json(["email": .text(Trial.newEmail())]))
    },
    Rule(
      "order.invite-body-first", .workspaces, "Inviting: a malformed e-mail is E11 before membership and permission."
    ) { trial in
      let yard = try await trial.courtyard()
      for person in [yard.b, yard.c] {
        try await person.call(.POST, yard.workspace.members, .json(["email": "nonsense"])).isRefused(.badRequest)
      }
    },
  ]
}
