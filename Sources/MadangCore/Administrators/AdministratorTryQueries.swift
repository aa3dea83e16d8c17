import Storage

extension Transaction {
  /// Counts an attempt under each of several hashes, in their order. If one of them has too many already, counts nothing and returns how
  /// many milliseconds its window lasts.
  func takeTry(_ hashes: [String], _ limits: AdministratorSettings, now: Int64) throws -> Int64? {
    try deleteTries(limits, now: now)
    let counts = try hashes.map { hash in
      try one(
        """
        INSERT INTO administrator_tries (key_hash, began_at, tries) VALUES (\(hash), \(now), 1)
        ON CONFLICT (key_hash) DO UPDATE SET tries = administrator_tries.tries + 1 RETURNING began_at, tries
        """
      ) { (began: try $0.get("began_at") as Int64, tries: try $0.get("tries") as Int) }
    }
    let full = counts.filter { $0.tries > limits.tries }.map { $0.began + limits.tryWindow - now }
    guard let wait = full.max() else { return nil }
    try execute("UPDATE administrator_tries SET tries = tries - 1 WHERE key_hash IN (\(list: hashes))")
    // A count that this attempt began is no count.
    try execute("DELETE FROM administrator_tries WHERE tries <= 0 AND key_hash IN (\(list: hashes))")
    return wait
  }

  /// An attempt has succeeded: those before it were typing errors.
  func forgetTries(_ hashes: [String]) throws {
    try execute("DELETE FROM administrator_tries WHERE key_hash IN (\(list: hashes))")
  }

  /// Deletes counts of windows that have ended or, by a wrong clock, lie far ahead; and the oldest beyond a number.
  func deleteTries(_ limits: AdministratorSettings, now: Int64) throws {
    try execute(
      """
      DELETE FROM administrator_tries WHERE began_at <= \(now - limits.tryWindow) OR began_at > \(now + limits.tryWindow)
      """)
    try execute(
      """
      DELETE FROM administrator_tries WHERE began_at <=
        (SELECT began_at FROM administrator_tries ORDER BY began_at DESC LIMIT 1 OFFSET \(limits.triers))
      """)
  }
}
