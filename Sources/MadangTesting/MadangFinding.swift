import MadangCore
import MadangDevelopment
import MadangServer

/// A client's habit that will cause trouble in production, for the client or for its users.
public struct MadangFinding: Equatable, Sendable, CustomStringConvertible {
  /// The habit, such as `refreshStorm` (docs/reference/dev.md lists them).
  public let habit: String
  /// The e-mail of the client's account; nil if it is unknown.
  public let account: String?
  /// Describes what the client did.
  public let what: String
  /// What to do instead.
  public let cure: String
  /// The rule in the wire contract.
  public let rule: String
  /// The numbers of the journal's entries; at most the first 100.
  public let entries: [Int]

  init(_ finding: ReviewFinding) {
    (habit, account, what) = (finding.habit.rawValue, finding.account, finding.what)
    (cure, rule, entries) = (finding.cure, finding.rule, finding.calls)
  }

  public var description: String {
    "\(habit): \(what) (entries \(entries.map(String.init).joined(separator: ", "))). Instead: \(cure). "
      + "The contract: \(rule)"
  }
}

extension MadangWorld {
  /// Habits of clients that will cause trouble in production; empty for a well-behaved client.
  ///
  /// - Parameters:
  ///   - account: Only the clients of this account, by e-mail or the part before its `@`.
  ///   - number: Only entries of the journal with a higher number are examined.
  /// - Throws: ``MadangTestingError``.
  public func review(of account: String? = nil, after number: Int = 0) async throws -> [MadangFinding] {
    try await MadangTestingError.wording {
      // For an unknown account, throw: an empty list would look like a good result.
      let email = if let account { try await kit.people.person(account).email as String? } else { nil as String? }
      return try await kit.journal.review(of: email, after: number).findings.map(MadangFinding.init)
    }
  }

  /// Fails if ``review(of:after:)`` finds a habit.
  /// - Throws: ``MadangTestingError`` with the findings and their cures, one a line; then the place of this call, and the newest entries of
  ///   the journal.
  public func expectPolite(
    of account: String? = nil, after number: Int = 0, fileID: String = #fileID, line: Int = #line
  ) async throws {
    let findings = try await review(of: account, after: number)
    guard findings.isEmpty else { throw await journal.failure(findings.map(\.description), at: fileID, line) }
  }
}
