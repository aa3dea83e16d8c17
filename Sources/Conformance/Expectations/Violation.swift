/// A server does not keep a rule.
struct Violation: Error {
  let expected: String
  let seen: String
  /// The difference behind it, if it is known.
  var cause: Cause?
  /// The number of the request whose answer was seen; nil if the violation is not about one answer.
  var request: Int?
}

/// A rule cannot be tried with this server.
struct Skip: Error {
  let reason: String
}

/// - Parameters:
///   - expected: What the contract asks for.
///   - cause: The difference behind a violation.
func expect(
  _ holds: Bool, _ expected: String, seen: @autoclosure () throws -> String, cause: @autoclosure () -> Cause? = nil
) throws {
  guard holds else { throw Violation(expected: expected, seen: try seen(), cause: cause()) }
}

/// - Parameters:
///   - name: What is compared.
///   - cause: The difference behind a violation.
func expectEqual<Value: Equatable>(
  _ name: String, _ seen: Value, _ expected: Value, cause: @autoclosure () -> Cause? = nil
) throws {
  guard seen != expected else { return }
  let known = cause() ?? difference(seen, from: expected)
  throw Violation(expected: "\(name): \(shown(expected))", seen: shown(seen), cause: known)
}

/// Tries up to three times, for 20 s: a slow server is late every time, one on a busy machine is not.
/// - Parameter attempt: Returns what came too late, or nil. What it throws counts at once.
func expectInTime(_ attempt: () async throws -> Violation?) async throws {
  let end = ContinuousClock.now + .seconds(20)
  var late: Violation?
  for _ in 1...3 {
    late = try await attempt()
    if late == nil { return }
    if ContinuousClock.now > end { break }
  }
  if let late { throw late }
}

/// Tries up to four times, for 20 s. An attempt that fails after more than `limit` was too slow for the server's time window, and does not
/// count; the last one does.
/// - Parameter attempt: Makes its own person or token, so that earlier attempts do not count for it.
func repeating<Value>(ifOver limit: Duration, _ attempt: () async throws -> Value) async throws -> Value {
  let end = ContinuousClock.now + .seconds(20)
  for _ in 1...3 {
    let start = ContinuousClock.now
    do { return try await attempt() } catch {
      guard ContinuousClock.now - start > limit, ContinuousClock.now < end else { throw error }
    }
  }
  return try await attempt()
}

private func difference(_ seen: some Any, from expected: some Any) -> Cause? {
  guard case let seen as JSON? = seen, case let expected as JSON? = expected, let expected else { return nil }
  guard let seen else { return expected == .null ? .nullsLeftOut : nil }
  return Cause.ofDifference(seen, from: expected)
}

private func shown(_ value: some Any) -> String {
  if case let json as JSON? = value { return json?.masked.text.shortened ?? "nothing" }
  return "\(value)".shortened
}

extension String {
  /// As much as evidence needs.
  var shortened: String { count > 300 ? prefix(300) + "..." : self }
}
