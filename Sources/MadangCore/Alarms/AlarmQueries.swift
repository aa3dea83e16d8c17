import Storage

extension Transaction {
  /// Those that are not over.
  func alarms() throws -> [Alarm] {
    try all("SELECT kind, place, began_at, told_at FROM alarms") {
      Alarm(
        kind: try $0.get("kind"), place: try $0.get("place"), beganAt: try $0.get("began_at"),
        toldAt: try $0.get("told_at"))
    }
  }

  /// Notes that administrators are told of an alarm now. False if they were told less than so many milliseconds ago. A time far ahead was a
  /// clock's mistake.
  func claimAlarm(_ kind: AlarmKind, at place: String, now: Int64, every: Int64) throws -> Bool {
    try execute(
      """
      INSERT INTO alarms (kind, place, began_at, told_at) VALUES (\(kind.rawValue), \(place), \(now), \(now))
      ON CONFLICT (kind, place) DO UPDATE SET told_at = EXCLUDED.told_at
        WHERE ABS(\(now) - alarms.told_at) >= \(every)
      """) == 1
  }

  /// False if it was over.
  func endAlarm(_ kind: AlarmKind, at place: String) throws -> Bool {
    try execute("DELETE FROM alarms WHERE kind = \(kind.rawValue) AND place = \(place)") == 1
  }

  /// Those of servers that are there no more, and of what nobody looks at any more.
  func deleteAlarms(toldBefore time: Int64) throws { try execute("DELETE FROM alarms WHERE told_at < \(time)") }

  /// Entries of the audit log of a kind since a time, counted up to a limit.
  func auditCount(of kind: AuditKind, since time: Int64, limit: Int) throws -> Int {
    try one(
      """
      SELECT COUNT(*) AS number FROM
        (SELECT 1 AS one FROM audit WHERE kind = \(kind.rawValue) AND at > \(time) LIMIT \(limit)) AS a
      """
    ) { try $0.get("number") }
  }
}
