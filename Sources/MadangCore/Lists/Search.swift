import Storage

/// A page of rows that no index finds.
package struct SearchPage<Element: Sendable>: Sendable {
  package let elements: [Element]
  /// The number after which the next page starts; nil at the end.
  package let next: Int64?
  /// How many rows match. Nil on later pages, and if there are more rows than one call examines.
  package let total: Int?
}

extension SearchPage {
  /// A page of rows that were read by an index, one more than the page may have.
  init(_ rows: [Element], limit: Int, total: Int? = nil, number: (Element) -> Int64) {
    elements = Array(rows.prefix(limit))
    next = rows.count > limit ? elements.last.map(number) : nil
    self.total = total
  }
}

extension Madang {
  /// Examines rows in the order of their numbers, page by page, each page in a transaction of its own. One call examines
  /// ``Settings/searchLimit`` rows at most, and the next page continues there. The first page counts all matches.
  /// - Parameters:
  ///   - last: The page starts after this number; nil for the first page.
  ///   - read: Reads up to that many rows after a number.
  func search<Found: Sendable>(
    after last: Int64?, limit: Int, number: (Found) -> Int64,
    read: @escaping @Sendable (Transaction, _ last: Int64?, _ limit: Int) throws -> [Found],
    where matches: (Found) throws -> Bool
  ) async throws -> SearchPage<Found> {
    let (size, isFirst) = (setting(\.searchPage), last == nil)
    var (found, count, examined, last, next): ([Found], Int, Int, Int64?, Int64?) = ([], 0, 0, last, nil)
    while true {
      let page = try await database.read { [last] in try read($0, last, size) }
      for row in page where try matches(row) {
        count += 1
        if found.count < limit { found.append(row) } else if next == nil { next = found.last.map(number) }
      }
      (last, examined) = (page.last.map(number) ?? last, examined + page.count)
      guard page.count == size else {
        return SearchPage(elements: found, next: next, total: isFirst ? count : nil)
      }
      guard examined < setting(\.searchLimit), isFirst || next == nil else {
        return SearchPage(elements: found, next: next ?? last, total: nil)
      }
    }
  }
}

/// A part of a text that a search looks for, ignoring case and Unicode composition. Compared here because database engines differ in
/// which letters they treat as equal.
struct SearchedText: Sendable {
  /// In characters.
  static let maxLength = 100

  private let folded: String

  /// Throws `.invalid` if the text is too long.
  init(_ text: String) throws {
    guard text.utf8.count <= 12 * Self.maxLength, text.count <= Self.maxLength else {
      throw Failure(.invalid, "find: at most \(Self.maxLength) characters")
    }
    folded = TextRules.folded(text.trimmingWhitespace())
  }

  var isEmpty: Bool { folded.isEmpty }

  func isPart(of text: String) -> Bool {
    isEmpty || TextRules.folded(text).utf8.firstRange(of: folded.utf8) != nil
  }
}

extension Transaction {
  /// Reads the whole table.
  func count(of table: SQL) throws -> Int {
    try one("SELECT COUNT(*) AS number FROM \(sql: table)") { try $0.get("number") }
  }
}
