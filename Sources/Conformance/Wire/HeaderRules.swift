import MadangAPI
import NIOHTTP1

enum HeaderRules {
  private static func profile(_ trial: Trial, _ authorization: (Person) -> String) async throws -> Answer {
    let person = try await trial.person()
    return try await trial.call(.GET, person.profilePath, token: authorization(person))
  }

  static let all: [Rule] = [
    Rule("headers.raw-token", .requestHeaders, "Authorization is the raw token, without a scheme.") { trial in
      try await profile(trial) { $0.token }.isSuccess()
    },
    Rule("headers.bearer", .requestHeaders, "A leading 'Bearer ' is tolerated.") { trial in
      try await profile(trial) { "Bearer " + $0.token }.isSuccess()
    },
    Rule("headers.blanks", .requestHeaders, "Blanks around the token are trimmed.") { trial in
      try await profile(trial) { "  \($0.token) " }.isSuccess()
    },
    .refusal(.badToken, "headers.no-token", .orderOfChecks, "A missing token is E02.") {
      try await $0.call(.GET, "workspaces")
    },
    .refusal(.badToken, "headers.empty-token", .requestHeaders, "An empty token counts as absent.") {
      try await $0.call(.GET, "workspaces", token: "")
    },
    .refusal(.badToken, "headers.garbage-token", .orderOfChecks, "An unknown token is E02.") {
      try await $0.call(.GET, "workspaces", token: "garbage-\(Trial.unique())")
    },
    .refusal(
      .badToken, "headers.korean-token", .requestHeaders,
      "A token with bytes beyond ASCII is an unknown token."
    ) {
      try await $0.call(.GET, "workspaces", token: "토큰없음 \(Trial.unique())")
    },
    .refusal(.badToken, "headers.changed-token", .errorCodes, "A token with a changed character is E02.") {
      try await profile($0) { String($0.token.dropLast(2)) + ($0.token.hasSuffix("AA") ? "BB" : "AA") }
    },
    Rule("headers.public-routes", .requestHeaders, "Public routes ignore Authorization, whatever it holds.") { trial in
      let person = try await trial.person()
      let account: JSON = ["email": .text(person.email), "password": .text(Trial.password)]
      for token in ["", "garbage-\(Trial.unique())", "토큰 \(Trial.unique())", person.token] {
        try await trial.call(.POST, "users/login", token: token, .json(account)).isSuccess()
        let email: JSON = ["email": .text(Trial.newEmail())]
        try await trial.call(.POST, "users/validation/email", token: token, .json(email)).isSuccess()
      }
    },
    Rule("headers.refresh-token", .requestHeaders, "RefreshToken is ignored on all calls but refresh.") { trial in
      let person = try await trial.person()
      try await person.call(.GET, "workspaces", headers: [(HeaderName.refreshToken, "garbage")]).isSuccess()
    },
    Rule("headers.type-on-get", .requestHeaders, "A Content-Type on GET is ignored.") { trial in
      let person = try await trial.person()
      for type in ["application/json", "multipart/form-data", "nonsense"] {
        try await person.call(.GET, "workspaces", headers: [("Content-Type", type)]).isSuccess()
      }
    },
    Rule("headers.type-on-delete", .requestHeaders, "A Content-Type on DELETE without a body is ignored.") { trial in
      let (person, room) = try await trial.personInChannel()
      try await person.call(.DELETE, room.path, headers: [("Content-Type", "multipart/form-data")]).isSuccess()
    },
    Rule("headers.accept", .requestHeaders, "Accept and User-Agent are ignored.") { trial in
      let person = try await trial.person()
      let headers = [("Accept", "image/png"), ("User-Agent", "MyApp/1 CFNetwork/1410.0.3 Darwin/22.6.0")]
      try await person.call(.GET, "workspaces", headers: headers).hasShape(trial.shapes.workspaces)
    },
    Rule(
      "headers.refresh-as-access", .sessionsAndTokens,
      "An unexpired refresh token in Authorization counts as an access token."
    ) { trial in
      let person = try await trial.person()
      try await trial.call(.GET, person.profilePath, token: person.refreshToken).isSuccess()
    },
    Rule("headers.token-alphabet", .requestHeaders, "Tokens consist of A-Z a-z 0-9 . _ - only.") { trial in
      let person = try await trial.person()
      for token in [person.token, person.refreshToken] {
        try expect(Shape.isToken(token), "a token of A-Z a-z 0-9 . _ -", seen: "another character")
      }
    },
  ]
}
