import MadangCore
import MadangDevelopment
import MadangServer

/// Something that a client does and that will hurt it, or the people who use it, in life.
public struct MadangFinding: Sendable, CustomStringConvertible {
  private let finding: ReviewFinding

  init(_ finding: ReviewFinding) { self.finding = finding }

  /// Which habit it is, such as `refreshStorm` (docs/reference/dev.md lists them).
  public var habit: String { finding.habit.rawValue }
  /// Whose client it is, by e-mail; nil where nobody is known.
  public var account: String? { finding.account }
  /// What the client did, in words.
  public var what: String { finding.what }
  /// What to do instead.
  public var cure: String { finding.cure }
  /// What the wire contract says about it.
  public var rule: String { finding.rule }
  /// The numbers of the journal's entries: the first 100.
  public var entries: [Int] { finding.calls }

  public var description: String {
    "\(habit): \(what) (entries \(entries.map(String.init).joined(separator: ", "))). Instead: \(cure). "
      + "The contract: \(rule)"
  }
}

extension MadangWorld {
  /// What clients do that will hurt them in life: nothing for a client that is well.
  ///
  /// - Parameters:
  ///   - account: Only what concerns this person's clients, by e-mail or what is before its `@`.
  ///   - number: Only entries of the journal with a higher number are looked at.
  /// - Throws: ``MadangTestingError``.
  public func review(of account: String? = nil, after number: Int = 0) async throws -> [MadangFinding] {
    try await MadangTestingError.wording {
      // Nobody's client has no bad habits.
      let email = if let account { try await kit.people.person(account).email as String? } else { nil as String? }
      return try await kit.journal.review(of: email, after: number).findings.map(MadangFinding.init)
    }
  }
}
