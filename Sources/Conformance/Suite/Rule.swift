import MadangAPI

/// One sentence of the wire contract, and how to see from outside whether a server keeps it.
package struct Rule: Sendable {
  /// What a rule needs besides the key of its edition.
  package enum Need: String, Sendable, CaseIterable {
    /// The calls under `/_dev` of a server in development mode.
    case development
    /// The same, to move the server's clock: nothing else runs meanwhile.
    case clock
    /// The keys of both editions.
    case bothEditions
  }

  /// Kebab case, the feature first: `errors.one-key`. Stable, so that results can be compared.
  package let id: String
  /// The part of the wire contract that states the rule.
  package let section: Section
  package let sentence: String
  package let editions: [EditionName]
  package let needs: Set<Need>
  /// Throws a ``Violation`` or a ``Skip``.
  let check: @Sendable (Trial) async throws -> Void
  /// Whether it moves what all rules share, or needs the server's whole speed.
  let runsAlone: Bool

  init(
    _ id: String, _ section: Section, _ sentence: String, in editions: [EditionName] = EditionName.allCases,
    needs: Set<Need> = [], alone: Bool = false, check: @escaping @Sendable (Trial) async throws -> Void
  ) {
    (self.id, self.section, self.sentence) = (id, section, sentence)
    runsAlone = alone || needs.contains(.clock)
    (self.editions, self.needs, self.check) = (editions, needs, check)
  }

  /// The part of the id that names the feature.
  package var feature: String { String(id.prefix { $0 != "." }) }

  /// A rule that an endpoint answers a success with exactly the keys and types of an object.
  static func shape(
    _ id: String, _ section: Section, _ sentence: String, in editions: [EditionName] = EditionName.allCases,
    needs: Set<Need> = [], _ shape: @escaping @Sendable (Shapes) -> Shape,
    of call: @escaping @Sendable (Trial) async throws -> Answer
  ) -> Rule {
    Rule(id, section, sentence, in: editions, needs: needs) { trial in
      try await call(trial).hasShape(shape(trial.shapes))
    }
  }

  /// A rule that a call is refused with a code.
  static func refusal(
    _ code: ErrorCode, _ id: String, _ section: Section, _ sentence: String,
    in editions: [EditionName] = EditionName.allCases, needs: Set<Need> = [],
    of call: @escaping @Sendable (Trial) async throws -> Answer
  ) -> Rule {
    Rule(id, section, sentence, in: editions, needs: needs) { trial in try await call(trial).isRefused(code) }
  }
}
