import Storage

extension Madang {
  /// How many chats are dated at or after a moment, in milliseconds since 1970.
  package func chatCount(since moment: Int64) async throws -> Int {
    try await database.read { try $0.chatCount(since: moment) }
  }
}

extension Transaction {
  /// Dates have no index of their own, but numbers grow with them: a search by number finds the first chat to count.
  fileprivate func chatCount(since moment: Int64) throws -> Int {
    var low: Int64 = 0
    var high: Int64 = try one("SELECT CAST(COALESCE(MAX(id), 0) AS BIGINT) AS number FROM chats") {
      try $0.get("number")
    }
    while low < high {
      let middle = low + (high - low) / 2
      let date: Int64? = try first("SELECT created_at FROM chats WHERE id > \(middle) ORDER BY id LIMIT 1") {
        try $0.get("created_at")
      }
      if let date, date < moment { low = middle + 1 } else { high = middle }
    }
    return try one(
      "SELECT CAST(COUNT(*) AS BIGINT) AS number FROM chats WHERE id > \(low) AND created_at >= \(moment)"
    ) { try $0.get("number") }
  }
}
