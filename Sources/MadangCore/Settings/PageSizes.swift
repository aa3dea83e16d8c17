/// Limits of one page of a history.
package struct HistoryPage: Sendable {
  package var chats = 500
  /// Characters of the texts; the chat that reaches this limit is the last of its page.
  package var characters = 131_072
}

/// The limits of one read of news.
package struct NewsPage: Sendable {
  package var rooms = 500
  /// For one room.
  package var chats = 200
  /// For all rooms together; further rooms wait for the next read.
  package var allChats = 2000
  package var changes = 1000
  /// How many missing numbers of changes are looked up.
  package var gaps = 1000
}

/// The size of one page.
package struct ListPageSize: Sendable {
  package var elements = 200
  /// Estimated bytes of JSON; the element that reaches this limit is the last of its page.
  package var bytes = 32_768
}
