/// A text of one of several, in which the number of this one stands for the placeholder.
struct SeedTemplate {
  private let pieces: [String]

  /// - Parameter count: Nil for the text of one, which stays as it is.
  init(_ text: String, _ count: Int?) {
    guard count != nil else {
      pieces = [text]
      return
    }
    pieces = text.split(separator: SeedReader.placeholder, omittingEmptySubsequences: false).map(String.init)
  }

  func text(_ number: Int) -> String { pieces.count == 1 ? pieces[0] : pieces.joined(separator: "\(number)") }
}

/// Those who may be in a place, in their order.
struct SeedCircle: Sendable {
  /// Places among the people of the seed.
  let people: [Int]
  private let all: Set<Int>

  init(_ people: [Int]) { (self.people, all) = (people, Set(people)) }

  func contains(_ person: Int) -> Bool { all.contains(person) }
}
