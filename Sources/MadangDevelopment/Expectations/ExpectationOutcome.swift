/// The result of an expectation. Items have the numbers of `expected`, from 1.
package struct ExpectationOutcome: Codable, Sendable {
  package struct Match: Codable, Equatable, Sendable {
    package let expected: Int
    /// The numbers of its entries.
    package let entries: [Int]
  }

  /// An item that needs more entries.
  package struct Missing: Codable, Equatable, Sendable {
    package let expected: Int
    package let came: Int
    package let of: Int
  }

  /// An entry that counts for no item.
  package struct Extra: Codable, Equatable, Sendable {
    /// How many items are listed at most.
    static let most = 10

    package let entry: Int
    /// The first items whose filter it matches; with `only` there may be none.
    package let expected: [Int]
  }

  /// Entries of an item that must not come.
  package struct Forbidden: Codable, Equatable, Sendable {
    package let expected: Int
    package let entries: [Int]
  }

  /// An entry that began before or after another one, contrary to the order of their items.
  package struct Misplaced: Codable, Equatable, Sendable {
    package let entry: Int
    package var before: Int?
    package var after: Int?
  }

  /// The entry that differs least from a missing item.
  package struct Near: Codable, Equatable, Sendable {
    package let expected: Int
    package let entry: Int
    package let differences: [NearMiss.Difference]
  }

  /// Two entries of an item that came too soon or too late one after the other.
  package struct Spaced: Codable, Equatable, Sendable {
    package let expected: Int
    package let entries: [Int]
    /// Between their starts, in real time.
    package let seconds: Double
  }

  package let met: Bool
  /// The differences, in words. Empty if it is met.
  package let differences: [String]
  package let matched: [Match]
  package let missing: [Missing]
  package let near: [Near]
  package let order: [Misplaced]
  package let extra: [Extra]
  package let forbidden: [Forbidden]
  /// The first ones.
  package let spacing: [Spaced]
  /// The number of the journal's oldest entry.
  package let from: Int
  /// The number of the last entry that was examined.
  package let last: Int
}
