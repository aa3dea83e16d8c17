import MadangAPI
import NIOHTTP1

/// The limits that answer `E98`, with their default numbers (wire contract, Call limits).
enum LimitRules {
  /// Makes a call so often; all but the last must not be E98, the last must.
  private static func last(
    _ count: Int, _ call: @Sendable () async throws -> Answer
  ) async throws -> Answer {
    for number in 1..<count {
      let answer = try await call()
      try expect(answer.code != "E98", "no E98 before call \(count)", seen: "E98 at call \(number)")
    }
    return try await call()
  }

  /// The refusal of the 11th call in 10 s.
  /// - Parameter newCall: Returns a call of a new person or token.
  private static func eleventh(
    _ newCall: () async throws -> @Sendable () async throws -> Answer
  ) async throws -> Answer {
    try await repeating(ifOver: .seconds(9)) {
      let answer = try await last(11, try await newCall())
      try answer.isRefused(.tooManyCalls)
      return answer
    }
  }

  private static func refreshed(_ trial: Trial) async throws -> Answer {
    try await eleventh {
      let person = try await trial.person()
      return { try await person.refresh(showing: nil) }
    }
  }

  static let all: [Rule] = [
    .refusal(.tooManyCalls, "limits.refreshes", .callLimits, "The 11th refresh of a session in 10 s is E98.") {
      try await refreshed($0)
    },
    .refusal(
      .tooManyCalls, "limits.refreshes-while-valid", .callLimits,
      "Refreshes that show a valid token count, with any answer."
    ) { trial in
      try await eleventh {
        let person = try await trial.person()
        return { try await person.refresh(showing: person.token) }
      }
    },
    Rule("limits.retry-after", .failedAnswers, "E98 carries Retry-After with whole seconds, at least 1.") { trial in
      let answer = try await refreshed(trial)
      let seconds = try answer.header("Retry-After")
      try expect(Int(seconds).map { $0 >= 1 } == true, "whole seconds, at least 1", seen: seconds)
    },
    Rule(
      "limits.other-sessions", .callLimits,
      "Refreshes count for their session, not for other sessions of the account."
    ) { trial in
      let person = try await trial.person()
      let second = try await trial.signIn(person)
      _ = try await last(11) { try await person.refresh(showing: nil) }
      try await second.refresh(showing: nil).isSuccess()
      try await person.call(.GET, "workspaces").isSuccess()
    },
    .refusal(
      .tooManyCalls, "limits.refused-refreshes", .callLimits,
      "The 11th refresh with one unknown refresh token in 10 s is E98."
    ) { trial in
      try await eleventh {
        let token = "unknown-\(Trial.unique())"
        return { try await trial.call(.GET, "auth/refresh", headers: [(HeaderName.refreshToken, token)]) }
      }
    },
    .refusal(
      .tooManyCalls, "limits.unknown-tokens", .callLimits,
      "The 11th call with one unknown token in 10 s is E98, not E02."
    ) { trial in
      try await eleventh {
        let token = "unknown-\(Trial.unique())"
        return { try await trial.call(.GET, "workspaces", token: token) }
      }
    },
    .refusal(
      .tooManyCalls, "limits.sign-in-failures", .callLimits, "The 11th failed sign-in for one e-mail in 5 min is E98."
    ) {
      let trial = $0
      let account: JSON = ["email": .text(try await trial.person().email), "password": "wrong"]
      return try await last(11) { try await trial.call(.POST, "users/login", .json(account)) }
    },
    .refusal(.badRequest, "limits.text-body", .sizeLimits, "A JSON body of more than 1 MiB is E11.") {
      let body: JSON = ["email": .text(Trial.newEmail()), "more": .text(String(repeating: "x", count: 1 << 20))]
      return try await $0.call(.POST, "users/validation/email", .json(body))
    },
    Rule("limits.requests", .callLimits, "600 calls of one session in 10 s are served, the next is E98.", alone: true) {
      trial in
      try await repeating(ifOver: .seconds(9)) {
        let person = try await trial.person()
        let start = ContinuousClock.now
        let codes = try await withThrowingTaskGroup(of: String?.self) { group in
          for _ in 0..<20 {
            group.addTask {
              for _ in 0..<30 {
                if let code = try await person.call(.GET, "store/item/list").code { return code }
              }
              return nil
            }
          }
          return try await group.reduce(into: [String?]()) { $0.append($1) }
        }
        try expect(codes.allSatisfy { $0 == nil }, "600 calls that are served", seen: "\(codes.compactMap(\.self))")
        let next = try await person.call(.GET, "store/item/list")
        guard next.code == "E98" || ContinuousClock.now - start < .seconds(9) else {
          throw Skip(reason: "601 calls took longer than 9 s")
        }
        try next.isRefused(.tooManyCalls)
      }
    },
  ]
}
