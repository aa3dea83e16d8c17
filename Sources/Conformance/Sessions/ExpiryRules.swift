import MadangAPI
import NIOHTTP1

/// What happens when tokens expire; the server's clock is moved on for it.
enum ExpiryRules {
  /// Beyond the life of an access token, 24 h.
  private static let day = 25 * 3600
  /// Beyond the life of a refresh token, 30 days.
  private static let month = 31 * 24 * 3600

  /// Somebody whose access token has just expired.
  private static func expired(_ trial: Trial) async throws -> Person {
    let person = try await trial.person()
    try await trial.advanceClock(seconds: day)
    return person
  }

  static let all: [Rule] = [
    .refusal(.tokenExpired, "expiry.access-token", .errorCodes, "An expired access token is E05.", needs: [.clock]) {
      try await expired($0).call(.GET, "workspaces")
    },
    .refusal(
      .tokenExpired, "expiry.files", .downloads, "An expired access token is E05 for files as well.", needs: [.clock]
    ) {
      try await expired($0).call(.GET, "static/workspaceCoverImages/default.png")
    },
    Rule(
      "expiry.refresh", .refreshTokens, "A refresh that shows the expired token succeeds, and the new token works.",
      needs: [.clock]
    ) { trial in
      let person = try await expired(trial)
      let token = try await person.refresh(showing: person.token).hasShape(trial.shapes.refresh).text("accessToken")
      try await trial.call(.GET, "workspaces", token: token).isSuccess()
    },
    Rule("expiry.logout", .sessionsAndTokens, "Signing out accepts an expired access token.", needs: [.clock]) {
      trial in
      let person = try await expired(trial)
      try await person.call(.GET, "users/logout").isEmptySuccess(in: trial.edition)
      try await person.refresh(showing: nil).isRefused(.badToken)
    },
    .refusal(
      .refreshExpired, "expiry.refresh-token", .refreshTokens, "An expired refresh token is E06.", needs: [.clock]
    ) {
      let person = try await $0.person()
      try await $0.advanceClock(seconds: month)
      return try await person.refresh(showing: nil)
    },
    Rule(
      "expiry.refresh-token-as-access", .sessionsAndTokens,
      "A refresh token as access token is accepted until it expires, then it is E06, also on files and sign-out.",
      needs: [.clock]
    ) { trial in
      let person = try await trial.person()
      try await trial.call(.GET, "workspaces", token: person.refreshToken).isSuccess()
      try await trial.advanceClock(seconds: month)
      for path in ["workspaces", "static/workspaceCoverImages/default.png", "users/logout"] {
        try await trial.call(.GET, path, token: person.refreshToken).isRefused(.refreshExpired)
      }
    },
    Rule(
      "expiry.refresh-token-loop", .callLimits, "The 11th refresh with an expired refresh token in 10 s is E98.",
      needs: [.clock]
    ) { trial in
      try await repeating(ifOver: .seconds(9)) {
        let person = try await trial.person()
        try await trial.advanceClock(seconds: month)
        for _ in 0..<10 { try await person.refresh(showing: nil).isRefused(.refreshExpired) }
        try await person.refresh(showing: nil).isRefused(.tooManyCalls)
      }
    },
    Rule(
      "expiry.parallel-refreshes", .callLimits, "30 parallel refreshes that show the expired token all succeed.",
      needs: [.clock]
    ) { trial in
      let person = try await expired(trial)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<30 { group.addTask { try await person.refresh(showing: person.token).isSuccess() } }
        try await group.waitForAll()
      }
    },
    Rule(
      "expiry.many-calls", .callLimits,
      "40 calls that meet one expiry refresh 40 times, the first with the expired token, the others with the new one.",
      needs: [.clock]
    ) { trial in
      try await repeating(ifOver: .seconds(5)) {
        let person = try await expired(trial)
        // At once, as some of these refreshes are only allowed for 5 s.
        try await withThrowingTaskGroup { group in
          for _ in 0..<40 { group.addTask { try await person.call(.GET, "workspaces").isRefused(.tokenExpired) } }
          try await group.waitForAll()
        }
        var newest = person.token
        for _ in 0..<40 { newest = try await person.refresh(showing: newest).json().text("accessToken") }
        try await trial.call(.GET, "workspaces", token: newest).isSuccess()
      }
    },
    Rule(
      "expiry.grace-2024-01", .refreshTokens,
      "Within 5 s each E05 allows one refresh with a token that is still valid; the next one is E04.",
      in: [.january2024], needs: [.clock]
    ) { trial in
      try await repeating(ifOver: .seconds(5)) {
        let person = try await expired(trial)
        for _ in 0..<2 { try await person.call(.GET, "workspaces").isRefused(.tokenExpired) }
        let token = try await person.refresh(showing: person.token).json().text("accessToken")
        for _ in 0..<2 { try await person.refresh(showing: token).hasShape(trial.shapes.refresh) }
        try await person.refresh(showing: token).isRefused(.stillValid)
        try await person.call(.GET, "workspaces").isRefused(.tokenExpired)
        try await trial.advanceClock(seconds: 6)
        try await person.refresh(showing: token).isRefused(.stillValid)
      }
    },
    Rule(
      "expiry.dead-token-loop", .callLimits,
      "A client that refreshes but repeats its old token gets E98 on the request, while refreshes succeed.",
      needs: [.clock]
    ) { trial in
      try await repeating(ifOver: .seconds(9)) {
        let person = try await expired(trial)
        var newest = person.token
        for _ in 0..<10 {
          let answer = try await person.call(.GET, "workspaces")
          if answer.code == "E98" { return }
          try answer.isRefused(.tokenExpired)
          newest = try await person.refresh(showing: newest).json().text("accessToken")
        }
        throw Violation(expected: "E98 within 10 rounds", seen: "E05 each time")
      }
    },
  ]
}
