import MadangCore

/// Where a history ends for a page that knows the chats behind it, or wants a few only. The wire has no such end.
package struct HistoryEnd: Sendable {
  /// The date of the first chat that is left out.
  private let date: Int64
  /// How many chats may follow.
  private var room: Int
  private(set) var isReached = false

  /// - Parameters:
  ///   - date: Of the first chat that is left out; nil for none.
  ///   - limit: How many chats there are at most; nil for any number.
  package init(before date: Int64?, limit: Int?) {
    (self.date, room) = (date ?? .max, limit ?? .max)
  }

  /// The chats of the next page, up to the end.
  mutating func take(_ chats: [Chat]) -> [Chat] {
    let taken = chats.prefix { $0.createdAt < date }.prefix(room)
    room -= taken.count
    isReached = taken.count < chats.count || room == 0
    return Array(taken)
  }
}
