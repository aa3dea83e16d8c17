import MadangAPI
import NIOHTTP1

/// Signing in with Apple and Kakao, whose tokens a server in development mode makes itself.
enum SocialRules {
  private static func signIn(_ trial: Trial, _ provider: String, _ token: JSON, nickname: JSON? = nil) async throws
    -> Answer
  {
    var fields: [String: JSON] = [provider == "apple" ? "idToken" : "oauthToken": token]
    if let nickname { fields["nickname"] = nickname }
    return try await trial.call(.POST, "users/login/\(provider)", .json(.object(fields)))
  }

  private static func token(_ trial: Trial, _ provider: String, email: String?, nickname: String? = nil) async throws
    -> JSON
  {
    try await trial.develop(
      .POST, "social-tokens",
      [
        "provider": .text(provider), "subject": .text(Trial.unique()), "email": email.map(JSON.text) ?? .null,
        "nickname": nickname.map(JSON.text) ?? .null,
      ]
    ).value("token")
  }

  static let all: [Rule] = [
    Rule(
      "users.social.kakao", .accountEndpoints, "The first sign-in with Kakao makes the account, with Kakao's nickname.",
      needs: [.development]
    ) { trial in
      let token = try await token(trial, "kakao", email: Trial.newEmail(), nickname: "Haru")
      let first = try await signIn(trial, "kakao", token).hasShape(trial.shapes.login)
      try expectEqual("the nickname", try first.text("nickname"), "Haru")
      try expectEqual("the sign-in method", first[trial.isOctober ? "provider" : "vendor"], "kakao")
      let second = try await signIn(trial, "kakao", token).json()
      try expectEqual("the account at the second sign-in", second["user_id"], first["user_id"])
    },
    Rule(
      "users.social.apple-without-name", .signInMethods,
      "A first sign-in with Apple without a nickname, or with a blank one, takes the e-mail's local part.",
      needs: [.development]
    ) { trial in
      for nickname: JSON? in [nil, .null, "", " "] {
        let email = "a\(Trial.unique())@example.com"
        let token = try await token(trial, "apple", email: email)
        let made = try await signIn(trial, "apple", token, nickname: nickname).hasShape(trial.shapes.login)
        try expectEqual("the nickname", try made.text("nickname"), String(email.prefix { $0 != "@" }))
      }
      let long = String(repeating: "a", count: 40)
      let token = try await token(trial, "apple", email: "\(long)@\(Trial.unique()).example.com")
      try expectEqual(
        "the nickname", try await signIn(trial, "apple", token).json().text("nickname"), String(long.prefix(30)))
    },
    Rule(
      "users.social.apple", .signInMethods,
      "Apple's nickname has up to 30 characters at the first sign-in, and is ignored later.",
      needs: [.development]
    ) { trial in
      let token = try await token(trial, "apple", email: Trial.newEmail())
      let long = JSON.text(String(repeating: "x", count: 31))
      try await signIn(trial, "apple", token, nickname: long).isRefused(.badRequest)
      let made = try await signIn(trial, "apple", token, nickname: "Haru").hasShape(trial.shapes.login)
      try expectEqual("the sign-in method", made[trial.isOctober ? "provider" : "vendor"], "apple")
      let later = try await signIn(trial, "apple", token, nickname: "").json()
      try expectEqual("the nickname", try later.text("nickname"), "Haru")
    },
    Rule("users.social.unverified", .signInMethods, "A token that cannot be verified is E03.") { trial in
      try await signIn(trial, "kakao", .text("junk-\(Trial.unique())")).isRefused(.noAccount)
      try await signIn(trial, "apple", .text("junk-\(Trial.unique())"), nickname: "M").isRefused(.noAccount)
    },
    Rule("users.social.missing", .signInMethods, "A missing or empty token is E11.") { trial in
      for provider in ["kakao", "apple"] {
        for token: JSON in ["", nil] { try await signIn(trial, provider, token).isRefused(.badRequest) }
      }
    },
    Rule("users.social.no-email", .signInMethods, "A social profile without e-mail is E11.", needs: [.development]) {
      trial in
      let token = try await token(trial, "kakao", email: nil, nickname: "Haru")
      try await signIn(trial, "kakao", token).isRefused(.badRequest)
    },
    Rule(
      "users.social.other-method", .signInMethods, "An e-mail that belongs to another sign-in method is E12.",
      needs: [.development]
    ) { trial in
      let person = try await trial.person()
      let token = try await token(trial, "kakao", email: person.email, nickname: "Haru")
      try await signIn(trial, "kakao", token).isRefused(.duplicate)
    },
    Rule(
      "users.social.no-password", .signInMethods, "A password does not open a social account: E03.",
      needs: [.development]
    ) { trial in
      let email = Trial.newEmail()
      try await signIn(trial, "kakao", try await token(trial, "kakao", email: email, nickname: "Haru")).isSuccess()
      let account: JSON = ["email": .text(email), "password": .text(Trial.password)]
      try await trial.call(.POST, "users/login", .json(account)).isRefused(.noAccount)
    },
    Rule(
      "users.social.long-nickname", .signInMethods,
      "Kakao's nickname is cut to 30; an empty one becomes the e-mail's local part.",
      needs: [.development]
    ) { trial in
      let long = String(repeating: "각", count: 40)
      let cut = try await signIn(
        trial, "kakao", try await token(trial, "kakao", email: Trial.newEmail(), nickname: long))
      try expectEqual("the nickname", try cut.json().text("nickname"), String(long.prefix(30)))
      let email = "k\(Trial.unique())@example.com"
      let local = try await signIn(trial, "kakao", try await token(trial, "kakao", email: email, nickname: " "))
      try expectEqual("the nickname", try local.json().text("nickname"), String(email.prefix { $0 != "@" }))
    },
  ]
}
