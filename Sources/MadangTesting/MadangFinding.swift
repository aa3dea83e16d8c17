import MadangCore
import MadangDevelopment
import MadangServer

/// A client's habit that will cause trouble in production, for the client or for its users.
public struct MadangFinding: Sendable, CustomStringConvertible {
  private let finding: ReviewFinding

  init(_ finding: ReviewFinding) { self.finding = finding }

  /// The habit, such as `refreshStorm` (docs/reference/dev.md lists them).
  public var habit: String { finding.habit.rawValue }
  /// The e-mail of the client's account; nil if it is unknown.
  public var account: String? { finding.account }
  /// Describes what the client did.
  public var what: String { finding.what }
  /// What to do instead.
  public var cure: String { finding.cure }
  /// The rule in the wire contract.
  public var rule: String { finding.rule }
  /// The numbers of the journal's entries; at most the first 100.
  public var entries: [Int] { finding.calls }

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
}
