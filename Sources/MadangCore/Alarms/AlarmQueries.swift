import Storage

extension Transaction {
  /// All open alarms.
  func alarms() throws -> [Alarm] {
    try all("SELECT kind, place, began_at, told_at FROM alarms") {
      Alarm(
        kind: try $0.get("kind"), place: try $0.get("place"), beganAt: try $0.get("began_at"),
        toldAt: try $0.get("told_at"))
    }
  }

  /// Records that administrators are alerted of a condition now. False if the last alert is less than `every` milliseconds ago. A time far
  /// in the future came from a wrong clock and is ignored.
  func claimAlarm(_ kind: AlarmKind, at place: String, now: Int64, every: Int64) throws -> Bool {
    try execute(
      """
      INSERT INTO alarms (kind, place, began_at, told_at) VALUES (\(kind.rawValue), \(place), \(now), \(now))
      ON CONFLICT (kind, place) DO UPDATE SET told_at = EXCLUDED.told_at
        WHERE ABS(\(now) - alarms.told_at) >= \(every)
      """) == 1
  }

  /// False if the alarm was closed already.
  func endAlarm(_ kind: AlarmKind, at place: String) throws -> Bool {
    try execute("DELETE FROM alarms WHERE kind = \(kind.rawValue) AND place = \(place)") == 1
  }

  /// Deletes alarms of servers that no longer exist and of conditions that are no longer checked.
  func deleteAlarms(toldBefore time: Int64) throws { try execute("DELETE FROM alarms WHERE told_at < \(time)") }

  /// How many audit rows of a kind are newer than a time, counted up to `limit`.
  func auditCount(of kind: AuditKind, since time: Int64, limit: Int) throws -> Int {
    try one(
      """
      SELECT COUNT(*) AS number FROM
        (SELECT 1 AS one FROM audit WHERE kind = \(kind.rawValue) AND at > \(time) LIMIT \(limit)) AS a
      """
    ) { try $0.get("number") }
  }
}
