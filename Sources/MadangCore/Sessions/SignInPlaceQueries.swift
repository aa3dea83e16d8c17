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

  /// Deletes all places of an account but its newest `kept`.
  func deletePlaces(of user: Int64, beyond kept: Int) throws {
    try execute(
      """
      DELETE FROM sign_in_places WHERE user_id = \(user) AND place_hash NOT IN
        (SELECT place_hash FROM sign_in_places WHERE user_id = \(user) ORDER BY seen_at DESC, place_hash LIMIT \(kept))
      """)
  }

  /// A page of places that were last seen up to `time`, without the newest place of each account.
  func oldPlaces(seenBefore time: Int64, after last: SeenPlace?, limit: Int) throws -> [SeenPlace] {
    let (seenAt, user, hash) = (last?.seenAt ?? .min, last?.user ?? 0, last?.hash ?? "")
    return try all(
      """
      SELECT p.seen_at, p.user_id, p.place_hash FROM sign_in_places p
      WHERE p.seen_at <= \(time) AND (p.seen_at, p.user_id, p.place_hash) > (\(seenAt), \(user), \(hash)) AND EXISTS
        (SELECT 1 FROM sign_in_places n WHERE n.user_id = p.user_id
          AND (n.seen_at > p.seen_at OR (n.seen_at = p.seen_at AND n.place_hash > p.place_hash)))
      ORDER BY p.seen_at, p.user_id, p.place_hash LIMIT \(limit)
      """
    ) { SeenPlace(user: try $0.get("user_id"), hash: try $0.get("place_hash"), seenAt: try $0.get("seen_at")) }
  }

  func deletePlace(_ place: SeenPlace, seenBefore time: Int64) throws {
    try execute(
      """
      DELETE FROM sign_in_places WHERE user_id = \(place.user) AND place_hash = \(place.hash) AND seen_at <= \(time)
      """)
  }

  /// Makes all places of an account count as new again, but keeps the record that there were some.
  func agePlaces(of user: Int64) throws {
    try execute("UPDATE sign_in_places SET seen_at = 0 WHERE user_id = \(user)")
  }

  func deletePlaces() throws { try execute("DELETE FROM sign_in_places") }
}

/// A place from which an account has signed in.
struct SeenPlace: Sendable {
  let user: Int64
  let hash: String
  /// Milliseconds since 1970.
  let seenAt: Int64
}
