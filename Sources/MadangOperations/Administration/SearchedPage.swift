import MadangCore

/// One page of a list for administrators.
public struct SearchedPage<Element: Sendable>: Sendable {
  public let elements: [Element]
  /// Where the next page starts: its `after`, or `before`; nil at the end.
  public let next: Int64?
  /// The number of elements on all pages. Nil on later pages, and if too many rows would have to be examined.
  public let total: Int?

  init<Record>(_ page: SearchPage<Record>, _ summary: (Record) -> Element) {
    (elements, next, total) = (page.elements.map(summary), page.next, page.total)
  }
}
