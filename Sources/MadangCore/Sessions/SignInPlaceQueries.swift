import Storage

extension Transaction {
  func places(of user: Int64) throws -> [(hash: String, seenAt: Int64)] {
    try all("SELECT place_hash, seen_at FROM sign_in_places WHERE user_id = \(user)") {
      (try $0.get("place_hash"), try $0.get("seen_at"))
    }
  }

  func rememberPlace(_ hash: String, of user: Int64, now: Int64) throws {
    try execute(
      """
      INSERT INTO sign_in_places (user_id, place_hash, seen_at) VALUES (\(user), \(hash), \(now))
      ON CONFLICT (user_id, place_hash) DO UPDATE SET seen_at = EXCLUDED.seen_at
      """)
  }

  /// Of an account all but its newest.
  func deletePlaces(of user: Int64, beyond kept: Int) throws {
    try execute(
      """
      DELETE FROM sign_in_places WHERE user_id = \(user) AND place_hash NOT IN
        (SELECT place_hash FROM sign_in_places WHERE user_id = \(user) ORDER BY seen_at DESC, place_hash LIMIT \(kept))
      """)
  }

  /// How many there were.
  func deletePlaces(seenBefore time: Int64, limit: Int) throws -> Int {
    try execute(
      """
      DELETE FROM sign_in_places WHERE (user_id, place_hash) IN
        (SELECT p.user_id, p.place_hash FROM sign_in_places p
          WHERE p.seen_at <= \(time) AND EXISTS
            (SELECT 1 FROM sign_in_places n WHERE n.user_id = p.user_id
              AND (n.seen_at > p.seen_at OR (n.seen_at = p.seen_at AND n.place_hash > p.place_hash)))
          ORDER BY p.seen_at LIMIT \(limit))
      """)
  }

  func deletePlaces() throws { try execute("DELETE FROM sign_in_places") }
}
