import Hummingbird

/// The call about expectations: `POST /_dev/expect`.
struct ExpectationCalls: Sendable {
  let journal: Journal
  let people: People
  let waits: Waits

  /// The answer; nil if it has no such path.
  func respond(to call: DevelopmentCall) async throws -> Response? {
    guard call.method == .post, call.path == ["expect"] else { return nil }
    try call.refuseQuery()
    var expectation = try await call.body(Expectation.self)
    for index in expectation.expected.indices {
      try await people.spellOut(&expectation.expected[index].filter.account, of: "expected[\(index)].account")
    }
    var account = expectation.among?.account
    try await people.spellOut(&account, of: "among.account")
    expectation.among?.account = account
    let outcome = try await outcome(of: try ExpectationPattern(expectation), call)
    return try .development(outcome, status: outcome.met ? .ok : .conflict)
  }

  private func outcome(of pattern: ExpectationPattern, _ call: DevelopmentCall) async throws -> ExpectationOutcome {
    let expectation = pattern.expectation
    guard expectation.wait > .zero || expectation.settle > .zero else { return try await journal.outcome(of: pattern) }
    return try await waits.wait(call) { try await journal.outcome(of: pattern) }
  }
}
