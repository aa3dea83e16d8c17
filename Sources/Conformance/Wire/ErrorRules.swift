import MadangAPI
import NIOHTTP1

/// The form of every refusal (wire contract, Failed answers).
enum ErrorRules {
  /// A refusal with each code that can be had without more than a key.
  private static func refusals(_ trial: Trial) async throws -> [(ErrorCode, Answer)] {
    let yard = try await trial.courtyard()
    let owned = try await yard.b.channel("design", in: yard.workspace)
    let login: JSON = ["email": .text(Trial.newEmail()), "password": .text(Trial.password)]
    return [
      (.badKey, try await trial.call(.GET, "workspaces", key: .none)),
      (.badToken, try await trial.call(.GET, "workspaces", token: "garbage-\(Trial.unique())")),
      (.noAccount, try await trial.call(.POST, "users/login", .json(login))),
      (.badRequest, try await yard.a.call(.PUT, yard.a.profilePath, .json(["nickname": ""]))),
      (.duplicate, try await yard.a.call(.POST, yard.workspace.members, .json(["email": .text(yard.b.email)]))),
      (.notFound, try await yard.c.call(.GET, yard.workspace.path)),
      (.notOwner, try await yard.a.call(.PUT, owned.path, .json(["description": "x"]))),
      (.mustHandOver, try await yard.a.call(.GET, yard.workspace.leave)),
      (.unknownPath, try await yard.a.call(.GET, "no/such/path")),
    ]
  }

  static let all: [Rule] = [
    Rule("errors.codes", .errorCodes, "Each failure has the code of the contract's table.") { trial in
      for (code, answer) in try await refusals(trial) { try answer.isRefused(code) }
    },
    Rule("errors.status-400", .failedAnswers, "The status of every code but E99 is 400.") { trial in
      for (_, answer) in try await refusals(trial) {
        guard answer.status == 400 else {
          throw answer.violation("the status 400", cause: answer.isSuccessful ? .errorsAsSuccess : nil)
        }
      }
    },
    Rule("errors.one-key", .failedAnswers, "The body of a failure is an object with exactly one key, errorCode.") {
      trial in
      for (_, answer) in try await refusals(trial) {
        _ = try answer.errorCode()
        guard case .object(let object) = try answer.anyJSON(), object.count == 1 else {
          throw answer.violation("exactly the key errorCode")
        }
      }
    },
    Rule("errors.content-type", .failedAnswers, "Failures are application/json.") { trial in
      for (_, answer) in try await refusals(trial) {
        let type = try answer.header("Content-Type")
        try expect(type.lowercased().hasPrefix("application/json"), "application/json", seen: type)
      }
    },
    Rule("errors.known-codes", .failedAnswers, "Only codes of the table are sent.") { trial in
      for (_, answer) in try await refusals(trial) {
        guard ErrorCode(rawValue: try answer.errorCode()) != nil else { throw answer.violation("a code of the table") }
      }
    },
    Rule("errors.change-nothing", .failedAnswers, "A repeated failing call gives the same code.") {
      trial in
      let yard = try await trial.courtyard()
      for _ in 0..<4 {
        try await yard.a.call(.POST, yard.workspace.members, .json(["email": .text(yard.b.email)])).isRefused(
          .duplicate)
        try await yard.a.refresh(showing: nil).isSuccess()
      }
    },
  ]
}
