import MadangAPI
import NIOHTTP1

enum RefreshRules {
  private static func refresh(_ trial: Trial, _ token: String?) async throws -> Answer {
    try await trial.call(.GET, "auth/refresh", headers: token.map { [(HeaderName.refreshToken, $0)] } ?? [])
  }

  static let all: [Rule] = [
    .shape("refresh.shape", .refreshTokens, "A refresh answers exactly one key, accessToken.", \.refresh) {
      try await $0.person().refresh(showing: nil)
    },
    Rule("refresh.works", .refreshTokens, "The new token works at once, and the old one still works.") { trial in
      let person = try await trial.person()
      let token = try await person.refresh(showing: nil).json().text("accessToken")
      for token in [token, person.token] { try await trial.call(.GET, "workspaces", token: token).isSuccess() }
    },
    Rule("refresh.no-rotation", .refreshTokens, "The refresh token never rotates: it works again and again.") { trial in
      let person = try await trial.person()
      for _ in 0..<3 { try await person.refresh(showing: nil).hasShape(trial.shapes.refresh) }
    },
    .shape(
      "refresh.early-2024-10", .refreshTokens, "A refresh while the access token is valid succeeds.",
      in: [.october2024],
      \.refresh
    ) {
      let person = try await $0.person()
      return try await person.refresh(showing: person.token)
    },
    .refusal(
      .stillValid, "refresh.early-2024-01", .refreshTokens, "A refresh that shows a valid access token is E04.",
      in: [.january2024]
    ) {
      let person = try await $0.person()
      return try await person.refresh(showing: person.token)
    },
    Rule("refresh.no-authorization", .refreshTokens, "A refresh without Authorization, or with an empty one, succeeds.")
    {
      trial in
      let person = try await trial.person()
      for token in [nil, ""] { try await person.refresh(showing: token).hasShape(trial.shapes.refresh) }
    },
    Rule(
      "refresh.garbage-authorization", .refreshTokens,
      "Authorization is ignored unless it holds a valid access token of the session."
    ) { trial in
      let person = try await trial.person()
      let second = try await trial.signIn(person)
      for token in ["garbage-\(Trial.unique())", person.refreshToken, second.token] {
        try await person.refresh(showing: token).hasShape(trial.shapes.refresh)
      }
    },
    Rule("refresh.missing", .refreshTokens, "A refresh token that is missing, empty or unknown is E02.") { trial in
      for token in [nil, "", "unknown-\(Trial.unique())"] { try await refresh(trial, token).isRefused(.badToken) }
    },
    .refusal(.badToken, "refresh.access-token", .refreshTokens, "An access token as refresh token is E02.") {
      try await refresh($0, try await $0.person().token)
    },
    Rule("refresh.query", .requestHeaders, "A copy of the refresh token in the query is ignored.") { trial in
      let person = try await trial.person()
      let answer = try await trial.call(
        .GET, "auth/refresh?RefreshToken=\(person.refreshToken)",
        headers: [(HeaderName.refreshToken, person.refreshToken)])
      try answer.hasShape(trial.shapes.refresh)
      try await trial.call(.GET, "auth/refresh?RefreshToken=\(person.refreshToken)").isRefused(.badToken)
    },
    .refusal(.badToken, "refresh.after-logout", .refreshTokens, "The refresh token of an ended session is E02.") {
      let person = try await $0.person()
      try await person.call(.GET, "users/logout").isSuccess()
      return try await person.refresh(showing: nil)
    },
    Rule("refresh.files", .downloads, "A refreshed token works at once on files.") { trial in
      let person = try await trial.person()
      let token = try await person.refresh(showing: nil).json().text("accessToken")
      try await trial.call(.GET, "static/workspaceCoverImages/default.png", token: token).isSuccess()
    },
  ]
}

enum SessionRules {
  static let all: [Rule] = [
    Rule(
      "sessions.cookie", .socketAccess,
      "If answers set a cookie it is for sockets only: HttpOnly, SameSite=Strict, with Max-Age."
    ) { trial in
      let answer = try await trial.call(.POST, "users/join", .json(.object(trial.newAccount())))
      guard let cookie = answer.headers.first(name: "Set-Cookie") else {
        throw Skip(reason: "the server sets no cookie")
      }
      let parts = cookie.lowercased().split(separator: ";").map { String($0).trimmingBlanks }
      try expect(parts.contains("httponly"), "HttpOnly", seen: parts.dropFirst().joined(separator: "; "))
      try expect(parts.contains("samesite=strict"), "SameSite=Strict", seen: parts.dropFirst().joined(separator: "; "))
      try expect(
        parts.contains { $0.hasPrefix("max-age=") }, "Max-Age", seen: parts.dropFirst().joined(separator: "; "))
      let path = parts.first { $0.hasPrefix("path=") }
      try expect(path?.hasPrefix("path=/socket.io") == true, "the sockets' path", seen: path ?? "none")
    },
    .refusal(.badToken, "sessions.cookie-no-token", .socketAccess, "REST calls ignore the cookie.") {
      guard let cookie = try await $0.person().cookie else { throw Skip(reason: "the server sets no cookie") }
      return try await $0.call(.GET, "workspaces", headers: [("Cookie", cookie)])
    },
  ]
}
