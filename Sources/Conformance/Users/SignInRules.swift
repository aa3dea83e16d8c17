import MadangAPI
import NIOHTTP1

enum SignInRules {
  private static func login(_ trial: Trial, _ email: String, _ password: String = Trial.password) async throws -> Answer
  {
    try await trial.call(.POST, "users/login", .json(["email": .text(email), "password": .text(password)]))
  }

  static let all: [Rule] = [
    .shape("users.login.shape", .objects, "Signing in with e-mail answers the edition's object.", \.emailLogin) {
      try await login($0, try await $0.person().email)
    },
    .shape(
      "users.login.nested", .accountEndpoints, "POST /v2/users/login answers the account with nested tokens.",
      in: [.january2024], \.login
    ) {
      let email = try await $0.person().email
      return try await $0.call(
        .POST, "/v2/users/login", .json(["email": .text(email), "password": .text(Trial.password)]))
    },
    Rule("users.login.tokens", .sessionsAndTokens, "Each sign-in starts its own session; earlier ones stay.") {
      trial in
      let person = try await trial.person()
      let second = try await trial.signIn(person)
      try expect(second.refreshToken != person.refreshToken, "another refresh token", seen: "the same one")
      for session in [person, second] { try await session.call(.GET, "workspaces").isSuccess() }
    },
    .refusal(.noAccount, "users.login.unknown", .signInMethods, "An unknown e-mail is E03.") {
      try await login($0, Trial.newEmail())
    },
    .refusal(.noAccount, "users.login.wrong-password", .signInMethods, "A wrong password is E03.") {
      try await login($0, try await $0.person().email, "Wr0ng-Password!")
    },
    .refusal(
      .noAccount, "users.login.any-password", .textRules, "At sign-in a password of any form is just compared."
    ) {
      try await login($0, try await $0.person().email, "x")
    },
    Rule("users.login.missing", .accountEndpoints, "A missing e-mail or password is E11.") { trial in
      for body: JSON in [["email": "a@example.com"], ["password": "x"], [:]] {
        try await trial.call(.POST, "users/login", .json(body)).isRefused(.badRequest)
      }
    },
    Rule("users.login.device-token", .accountEndpoints, "deviceToken may be absent, null, empty or a text.") { trial in
      let email = try await trial.person().email
      for token: JSON in [.null, "", "fcm:x"] {
        let body: JSON = ["email": .text(email), "password": .text(Trial.password), "deviceToken": token]
        try await trial.call(.POST, "users/login", .json(body)).isSuccess()
      }
    },
    Rule("users.logout", .sessionsAndTokens, "Signing out ends the session: its tokens are E02.") { trial in
      let person = try await trial.person()
      let other = try await trial.signIn(person)
      try await person.call(.GET, "users/logout").isEmptySuccess(in: trial.edition)
      try await person.call(.GET, "workspaces").isRefused(.badToken)
      try await person.refresh(showing: nil).isRefused(.badToken)
      try await other.call(.GET, "workspaces").isSuccess()
    },
    Rule(
      "users.device-token", .accountEndpoints,
      "Setting the device token is an empty success; missing, null or not a string is E11."
    ) { trial in
      let person = try await trial.person()
      for token: JSON in ["x", ""] {
        try await person.call(.POST, "users/deviceToken", .json(["deviceToken": token])).isEmptySuccess(
          in: trial.edition)
      }
      for body: JSON in [[:], ["deviceToken": nil], ["deviceToken": 7]] {
        try await person.call(.POST, "users/deviceToken", .json(body)).isRefused(.badRequest)
      }
    },
  ]
}
