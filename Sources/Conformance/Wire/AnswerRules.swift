import MadangAPI
import NIOHTTP1

/// The form of every answer (wire contract, Answers).
enum AnswerRules {
  /// One success of each kind of call.
  private static func successes(_ trial: Trial) async throws -> [Answer] {
    let email = Trial.newEmail()
    let joined = try await trial.call(.POST, "users/join", .json(.object(trial.newAccount(email: email))))
    let person = try Person(trial, email: email, nickname: "Mina", joined)
    let workspace = try await person.call(.POST, "workspaces", .multipart([.text("name", Trial.newName())]))
    let path = "workspaces/\(try workspace.json().id("workspace_id"))"
    let channel = try await person.call(.POST, path + "/channels", .json(["name": "ios"]))
    let segment = trial.isOctober ? try channel.json().id("channel_id") : "ios"
    return [
      joined, workspace, channel,
      try await person.call(.POST, "\(path)/channels/\(segment)/chats", .json(["content": "hi"])),
      try await person.call(.PUT, person.profilePath, .json(["nickname": "Nara"])),
      try await person.call(.GET, "workspaces"),
      try await trial.call(.POST, "users/validation/email", .json(["email": .text(Trial.newEmail())])),
      try await person.call(.DELETE, path),
    ]
  }

  static let all: [Rule] = [
    Rule("answers.status-200", .successfulAnswers, "The status of a success is always 200, creations included.") {
      trial in
      for answer in try await successes(trial) {
        try expect(answer.status == 200, "the status 200", seen: answer.description)
      }
    },
    Rule("answers.content-type", .successfulAnswers, "JSON comes as 'application/json; charset=utf-8'.") { trial in
      for answer in try await successes(trial) where !answer.body.isEmpty {
        let type = try answer.header("Content-Type").lowercased().replacing(" ", with: "")
        try expectEqual("Content-Type of \(answer.call)", type, "application/json;charset=utf-8")
      }
    },
    Rule("answers.no-store", .successfulAnswers, "JSON answers carry 'Cache-Control: no-store'.") { trial in
      for answer in try await successes(trial) where !answer.body.isEmpty {
        try expectEqual("Cache-Control of \(answer.call)", try answer.header("Cache-Control"), "no-store")
      }
    },
    Rule("answers.nulls", .successfulAnswers, "A key without value is written as null, never left out.") { trial in
      let profile = try await trial.person().profile()
      try expectEqual("profileImage", profile["profileImage"], JSON.null)
      try expectEqual("the sign-in method", profile[trial.isOctober ? "provider" : "vendor"], JSON.null)
    },
    Rule("answers.integers", .successfulAnswers, "Integers are JSON integers, without fraction or quotes.") { trial in
      let yard = try await trial.courtyard()
      let room = try await yard.sharedChannel()
      let count = try await yard.a.get(room.unreads).value("count")
      try expect(count == 0, "0", seen: count.text, cause: count.isQuotedNumber ? .quotedNumbers : nil)
      let coins = try await yard.c.profile().value("sesacCoin")
      guard case .number(let digits) = coins, Int(digits) != nil else {
        throw Violation(
          expected: "an integer at sesacCoin", seen: coins.text, cause: coins.isQuotedNumber ? .quotedNumbers : nil)
      }
    },
    Rule("answers.empty", .successfulAnswers, "An empty answer is {} in 2024-10 and zero bytes in 2024-01.") {
      trial in
      let (person, room) = try await trial.personInChannel()
      let answers = [
        try await trial.call(.POST, "users/validation/email", .json(["email": .text(Trial.newEmail())])),
        try await person.call(.POST, "users/deviceToken", .json(["deviceToken": "x"])),
        try await person.call(.DELETE, room.path), try await person.call(.DELETE, room.workspace.path),
        try await person.call(.GET, "users/logout"),
      ]
      for answer in answers { try answer.isEmptySuccess(in: trial.edition) }
    },
    Rule("answers.no-code-in-success", .successfulAnswers, "A success never holds errorCode.") { trial in
      for answer in try await successes(trial) where !answer.body.isEmpty {
        try expect(try answer.json()["errorCode"] == nil, "no errorCode in a success", seen: answer.description)
      }
    },
    Rule("answers.one-spelling", .objects, "No key has two spellings.", in: [.january2024]) { trial in
      for answer in try await successes(trial) where !answer.body.isEmpty {
        guard case .object(let object) = try answer.json() else { continue }
        let folded = object.keys.map { $0.lowercased().replacing("_", with: "") }
        try expect(Set(folded).count == folded.count, "each key in one spelling", seen: answer.description)
      }
    },
    Rule("answers.in-time", .transport, "JSON answers come well below 5 s.") { trial in
      let person = try await trial.person()
      try await expectInTime {
        let start = ContinuousClock.now
        try await person.call(.GET, person.profilePath).isSuccess()
        let time = ContinuousClock.now - start
        return time < .seconds(5) ? nil : Violation(expected: "an answer in less than 5 s", seen: "one after \(time)")
      }
    },
    .refusal(
      .badKey, "answers.reads-bodies", .transport, "The whole body is read before the answer, also of a refusal."
    ) {
      let bytes = [UInt8](repeating: 0x61, count: 4 << 20)
      return try await $0.call(.POST, "workspaces", key: .none, .multipart([.file("image", bytes)]))
    },
  ]
}
