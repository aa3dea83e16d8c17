/// A text of one of several, in which its number replaces the placeholder.
struct SeedTemplate {
  private let pieces: [String]

  /// - Parameter count: Nil for a single text, which is kept unchanged.
  init(_ text: String, _ count: Int?) {
    guard count != nil else {
      pieces = [text]
      return
    }
    pieces = text.split(separator: SeedReader.placeholder, omittingEmptySubsequences: false).map(String.init)
  }

  func text(_ number: Int) -> String { pieces.count == 1 ? pieces[0] : pieces.joined(separator: "\(number)") }
}

/// The people who may be in a place, in order.
struct SeedCircle: Sendable {
  /// Indexes of the seed's people.
  let people: [Int]
  private let all: Set<Int>

  init(_ people: [Int]) { (self.people, all) = (people, Set(people)) }

  func contains(_ person: Int) -> Bool { all.contains(person) }
}
