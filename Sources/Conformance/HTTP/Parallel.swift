import MadangAPI

/// Makes calls at once, of which so many succeed and all others are refused with a code.
func parallel(
  _ count: Int, successes: Int, others code: ErrorCode, _ call: @escaping @Sendable () async throws -> Answer
) async throws {
  let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
    for _ in 0..<count { group.addTask { try await call() } }
    return try await group.reduce(into: []) { $0.append($1) }
  }
  for answer in answers where answer.isRefusal { try answer.isRefused(code) }
  try expectEqual("successes of \(count) calls at once", answers.count { $0.isSuccessful }, successes)
}
