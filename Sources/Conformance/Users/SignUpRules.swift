import MadangAPI
import NIOHTTP1

enum SignUpRules {
  private static func join(_ trial: Trial, _ changes: [String: JSON?] = [:]) async throws -> Answer {
    var account = trial.newAccount()
    for (key, value) in changes { account[key] = value }
    return try await trial.call(.POST, "users/join", .json(.object(account)))
  }

  /// A rule that none of a field's values is taken.
  private static func refused(_ id: String, _ sentence: String, _ field: String, _ values: [JSON?]) -> Rule {
    Rule(id, .textRules, sentence) { trial in
      for value in values { try await join(trial, [field: value]).isRefused(.badRequest) }
    }
  }

  static let all: [Rule] = [
    .shape("users.join.shape", .objects, "Signing up answers the account with its tokens.", \.login) {
      try await join($0, ["phone": "010-1234-5678", "deviceToken": ""])
    },
    Rule("users.join.values", .accountEndpoints, "The answer to signing up holds what was sent.") { trial in
      let email = "Conformance-\(Trial.unique())@Example.com"
      let login = try await join(trial, ["email": .text(email), "phone": "010 1234-5678", "nickname": " 미나 "]).json()
      try expectEqual("the e-mail, as typed", try login.text("email"), email)
      try expectEqual("the phone, as sent", try login.text("phone"), "010 1234-5678")
      try expectEqual("the nickname, trimmed", try login.text("nickname"), "미나")
    },
    Rule("users.join.no-phone", .accountEndpoints, "phone may be absent or empty, and is then \"\".") { trial in
      for phone: JSON? in [nil, "", .null] {
        try expectEqual("the phone", try await join(trial, ["phone": phone]).json().text("phone"), "")
      }
    },
    Rule(
      "users.join.device-token", .textRules,
      "deviceToken may be absent, null, empty or any text; device_token is the same field."
    ) { trial in
      for token: JSON? in [nil, .null, "", "Optional(\"fcm:x\")", .text(String(repeating: "a", count: 4096))] {
        try await join(trial, ["deviceToken": token]).isSuccess()
      }
      try await join(trial, ["device_token": "x"]).isSuccess()
    },
    .refusal(
      .badRequest, "users.join.bad-device-token", .textRules, "A deviceToken of more than 4096 bytes is E11."
    ) {
      try await join($0, ["deviceToken": .text(String(repeating: "a", count: 4097))])
    },
    Rule("users.join.coins", .signInMethods, "A new account has 100 coins.") { trial in
      try expectEqual("coins", try await trial.person().coins(), 100)
    },
    Rule("users.join.session", .accountEndpoints, "Signing up starts a session: its tokens work at once.") { trial in
      let person = try await trial.person()
      try expectEqual("workspaces", try await person.list("workspaces").count, 0)
      try await person.refresh(showing: nil).isSuccess()
    },
    .refusal(.duplicate, "users.join.taken", .accountEndpoints, "An e-mail that has an account is E12.") {
      try await join($0, ["email": .text(try await $0.person().email)])
    },
    .refusal(.duplicate, "users.join.taken-in-other-case", .textRules, "E-mails are unique ignoring case.") {
      try await join($0, ["email": .text(try await $0.person().email.uppercased())])
    },
    refused(
      "users.join.bad-email", "A malformed e-mail is E11.", "email",
      [
        nil, "", "nonsense", "a@b", "a b@example.com", "@example.com", "a@@example.com", "a@example.c",
        .text(String(repeating: "a", count: 250) + "@example.com"),
      ]),
    refused(
      "users.join.bad-password", "A password without the required characters is E11.", "password",
      [
        nil, "", "Pa0!", "passw0rd!", "PASSW0RD!", "Password!", "Passw0rdd", "Passw0rd ",
        .text("Aa1!" + String(repeating: "x", count: 125)),
      ]),
    refused(
      "users.join.bad-nickname", "A nickname has 1 to 30 characters, else E11.", "nickname",
      [
        nil, "", "   ", .text(String(repeating: "각", count: 31)),
      ]),
    refused("users.join.bad-phone", "A malformed phone is E11.", "phone", ["abc", "123456789012345678901", "1_2"]),
    Rule("users.join.characters", .textRules, "Length counts characters as people see them; text becomes NFC.") {
      trial in
      let family = String(repeating: "👩‍👩‍👧‍👦", count: 30)
      try expectEqual(
        "the nickname", try await join(trial, ["nickname": .text(family)]).json().text("nickname"), family)
      let login = try await join(trial, ["nickname": .text("\u{1100}\u{1161}\u{11A8}")]).json()
      try expectEqual("the nickname's bytes", Array(try login.text("nickname").utf8), Array("각".utf8))
    },
    Rule("users.join.password-ends", .textRules, "Passwords of 8 and of 128 characters are taken.") { trial in
      for password in ["Passw0r!", "Aa1!" + String(repeating: "x", count: 124)] {
        try await join(trial, ["password": .text(password)]).isSuccess()
      }
    },
    Rule(
      "users.join.parallel", .orderOfChecks,
      "One of several parallel sign-ups with one e-mail succeeds, the others are E12."
    ) {
      trial in
      let email = JSON.text(Trial.newEmail())
      try await parallel(5, successes: 1, others: .duplicate) { try await join(trial, ["email": email]) }
    },
    Rule(
      "users.check-email.free", .accountEndpoints,
      "A free e-mail is answered with an empty success, and nothing is made."
    ) { trial in
      let email = JSON.text(Trial.newEmail())
      for _ in 0..<2 {
        try await trial.call(.POST, "users/validation/email", .json(["email": email])).isEmptySuccess(in: trial.edition)
      }
      try await join(trial, ["email": email]).isSuccess()
    },
    .refusal(.duplicate, "users.check-email.taken", .accountEndpoints, "The check of a taken e-mail is E12.") {
      let email = try await $0.person().email
      return try await $0.call(.POST, "users/validation/email", .json(["email": .text(email.uppercased())]))
    },
    Rule("users.check-email.malformed", .accountEndpoints, "The check of a malformed e-mail is E11.") { trial in
      for email in ["", "nonsense", "a@b", "a b@example.com"] {
        try await trial.call(.POST, "users/validation/email", .json(["email": .text(email)])).isRefused(.badRequest)
      }
    },
  ]
}
