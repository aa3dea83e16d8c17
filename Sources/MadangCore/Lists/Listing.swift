import Storage

/// One page of a list, and how to read the next page, so that memory use does not grow with the list.
///
/// Permission to read the list is checked when its first page is read.
package struct Listing<Element: Sendable>: Sendable {
  /// In the order of the list. May be empty even if pages follow.
  package let elements: [Element]
  /// Bytes that stay in memory until the last page is read.
  package let keptBytes: Int
  /// Nil on the last page.
  private let rest: (@Sendable (Transaction) throws -> Listing)?

  init(_ elements: [Element], keptBytes: Int = 0, rest: (@Sendable (Transaction) throws -> Listing)? = nil) {
    (self.elements, self.keptBytes, self.rest) = (elements, keptBytes, rest)
  }

  package static var empty: Listing { Listing([]) }

  /// Whether this is the last page.
  package var isLast: Bool { rest == nil }

  /// The next page; nil after the last.
  package func next(in madang: Madang) async throws -> Listing? {
    guard let rest else { return nil }
    return try await madang.database.read(rest)
  }

  /// The list with only the elements that match. Elements are tested when their page is read.
  func filter(_ isIncluded: @escaping @Sendable (Element) -> Bool) -> Listing {
    let included = elements.filter(isIncluded)
    guard let rest else { return Listing(included, keptBytes: keptBytes) }
    return Listing(included, keptBytes: keptBytes) { try rest($0).filter(isIncluded) }
  }
}

/// An element of a list.
protocol Listed: Sendable {
  /// Its approximate size as JSON, in bytes.
  var estimatedSize: Int { get }
}

extension Person: Listed {
  var estimatedSize: Int { 150 + email.utf8.count + nickname.utf8.count }
}

/// The position of an element in a list that is ordered by time, then by number.
struct ListPlace: Sendable {
  let time: Int64
  let number: Int64

  static let beforeAll = ListPlace(time: .min, number: .min)
  static let afterAll = ListPlace(time: .max, number: .max)
}

extension Transaction {
  /// A page of a list that is ordered by times and numbers which never change.
  ///
  /// - Parameters:
  ///   - place: The page starts after this position.
  ///   - limit: How many rows are read. Rows that do not fit the page are read again, so the next page reads fewer.
  ///   - read: Reads up to that many elements after a position, each with its own position.
  func listing<Element: Listed>(
    from place: ListPlace, _ size: ListPageSize, limit: Int? = nil,
    _ read: @escaping @Sendable (Transaction, ListPlace, Int) throws -> [(element: Element, place: ListPlace)]
  ) throws -> Listing<Element> {
    let limit = limit ?? size.elements
    let rows = try read(self, place, limit)
    let count = size.count(fitting: rows.lazy.map(\.element))
    let elements = rows[..<count].map(\.element)
    guard count < rows.count || rows.count == limit, let last = rows[..<count].last else { return Listing(elements) }
    return Listing(elements) {
      try $0.listing(from: last.place, size, limit: size.limit(after: count), read)
    }
  }

  /// A page of a list whose order may change while it is read. The numbers of all elements are kept in the order at the time of opening. A
  /// list that fits one page takes one statement.
  ///
  /// - Parameters:
  ///   - first: Reads up to that many elements from the start.
  ///   - numbers: Reads the numbers of all elements.
  ///   - read: Reads elements by their numbers, in any order, without deleted ones.
  func listing<Element: Listed>(
    _ size: ListPageSize, first: (_ limit: Int) throws -> [Element], numbers: () throws -> [Int64],
    read: @escaping @Sendable (Transaction, [Int64]) throws -> [(element: Element, number: Int64)]
  ) throws -> Listing<Element> {
    let elements = try first(size.elements + 1)
    if elements.count <= size.elements, size.count(fitting: elements) == elements.count { return Listing(elements) }
    let all = try numbers()
    return try listing(of: all[...], kept: all.count * MemoryLayout<Int64>.size, size, limit: size.elements, read)
  }

  private func listing<Element: Listed>(
    of numbers: ArraySlice<Int64>, kept: Int, _ size: ListPageSize, limit: Int,
    _ read: @escaping @Sendable (Transaction, [Int64]) throws -> [(element: Element, number: Int64)]
  ) throws -> Listing<Element> {
    let asked = numbers.prefix(limit)
    let found = Dictionary(try read(self, Array(asked)).map { ($0.number, $0.element) }) { first, _ in first }
    var (elements, end, bytes) = ([Element](), asked.startIndex, 0)
    while end < asked.endIndex, bytes < size.bytes {
      if let element = found[asked[end]] {
        elements.append(element)
        bytes += element.estimatedSize
      }
      end += 1
    }
    let rest = numbers[end...]
    guard !rest.isEmpty else { return Listing(elements) }
    return Listing(elements, keptBytes: kept) { [end] in
      try $0.listing(of: rest, kept: kept, size, limit: size.limit(after: end - asked.startIndex), read)
    }
  }
}

extension ListPageSize {
  /// How many of the elements fit on a page.
  fileprivate func count(fitting elements: some Sequence<some Listed>) -> Int {
    var (count, bytes) = (0, 0)
    for element in elements where bytes < self.bytes {
      count += 1
      bytes += element.estimatedSize
    }
    return count
  }

  /// How many elements to read after a page with `count` elements.
  fileprivate func limit(after count: Int) -> Int { min(elements, max(8, 2 * count)) }
}
