import Storage

extension Transaction {
  /// One stored hash for each method and cost, and how many of a sample have that cost, at least one. The time does not grow with the
  /// number of accounts.
  func passwordCosts() throws -> [(example: String, count: Int)] {
    let sample = Dictionary(grouping: try sampledHashes(parts: 20, size: 100)) { String($0.dropLast(Self.hashSize)) }
    var (found, last) = ([(example: String, count: Int)](), "")
    while found.count < Self.maxPasswordCosts,
      let (cost, example) = try first(
        Self.nextPasswordCost(after: last),
        { row -> (String, String) in
          (try row.get("cost"), try row.get("password_hash"))
        })
    {
      found.append((example, max(1, sample[cost]?.count ?? 0)))
      last = cost
    }
    return found
  }

  /// One step in the index `users_by_password_cost`.
  static func nextPasswordCost(after cost: String) -> SQL {
    // Salt and hash have the same length in every row: at most the last 70 characters. The index has exactly this expression.
    let prefix: SQL = "substr(password_hash, 1, length(password_hash) - 70)"
    return """
      SELECT \(sql: prefix) AS cost, password_hash FROM users WHERE length(password_hash) > 70 AND \(sql: prefix) > \(cost)
      ORDER BY \(sql: prefix) LIMIT 1
      """
  }

  /// The hashes of the first accounts in each of `parts` equal ranges of all accounts.
  private func sampledHashes(parts: Int64, size: Int64) throws -> [String] {
    guard let last: Int64 = try one("SELECT MAX(id) AS last FROM users", { try $0.get("last") }) else { return [] }
    let step = max(size, (last + parts - 1) / parts)
    return try stride(from: 0, to: last, by: Int64.Stride(step)).flatMap { start in
      try all("SELECT password_hash FROM users WHERE id > \(start) AND id <= \(start + size)") {
        try $0.get("password_hash", as: String?.self)
      }.compactMap { $0 }.filter { $0.utf8.count > Self.hashSize }
    }
  }

  private static let hashSize = 70
  /// Costs are configured by administrators, so there are few.
  private static let maxPasswordCosts = 100

  func storePassword(_ hash: String, of user: Int64, insteadOf old: String?) throws {
    try execute("UPDATE users SET password_hash = \(hash) WHERE id = \(user) AND password_hash = \(old)")
  }
}
