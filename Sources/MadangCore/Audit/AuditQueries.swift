import Storage

extension Transaction {
  func insertAudit(_ entry: AuditEntry, node: String, now: Int64) throws -> AuditRecord {
    let (time, actor) = (entry.time ?? now, entry.actor.text)
    let origin = entry.actor.origin ?? entry.origin
    let number: Int64 = try one(
      """
      INSERT INTO audit (at, kind, actor, account_id, subject, address, edition, node, detail)
      VALUES (\(time), \(entry.kind.rawValue), \(actor), \(entry.account), \(entry.subject), \(origin.address),
        \(origin.edition), \(node), \(entry.detail.json)) \(sql: .returningID)
      """
    ) { try $0.get("id") }
    return AuditRecord(
      number: number, time: time, kind: entry.kind.rawValue, actor: actor, account: entry.account,
      subject: entry.subject, origin: origin, node: node, detail: AuditDetail.texts(entry.detail.json))
  }

  /// Rows that match, newest first.
  func audit(_ filter: AuditFilter, limit: Int) throws -> [AuditRecord] {
    var condition: SQL = "a.at >= \(filter.since) AND a.at < \(filter.until)"
    if !filter.kinds.isEmpty { condition = "\(sql: condition) AND a.kind IN (\(list: filter.kinds.map(\.rawValue)))" }
    if let account = filter.account { condition = "\(sql: condition) AND a.account_id = \(account)" }
    if let last = filter.before {
      let time: Int64? = try first("SELECT at FROM audit WHERE id = \(last)") { try $0.get("at") }
      // Older rows than one that was deleted for its age are gone, too.
      condition = "\(sql: condition) AND (a.at, a.id) < (\(time ?? .min), \(last))"
    }
    if let email = filter.email {
      let account = try personByEmail(email)
      // Rows that are older than the account have only its address.
      let subjects = [email, TextRules.emailKey(email)] + (account.map { [$0.email] } ?? [])
      condition =
        "\(sql: condition) AND (a.account_id = \(account?.id.number) OR a.subject IN (\(list: subjects)))"
    }
    return try all(
      """
      SELECT a.id, a.at, a.kind, a.actor, a.account_id, a.subject, a.address, a.edition, a.node, a.detail
      FROM audit a WHERE \(sql: condition) ORDER BY a.at DESC, a.id DESC LIMIT \(limit)
      """, AuditRecord.init)
  }

  /// The details of the newest row of a kind that a server wrote; nil if there is none.
  func newestAuditDetail(of kind: AuditKind, node: String) throws -> [String: String]? {
    try first(
      """
      SELECT detail FROM audit WHERE kind = \(kind.rawValue) AND node = \(node) ORDER BY at DESC, id DESC LIMIT 1
      """
    ) { AuditDetail.texts(try $0.get("detail")) }
  }

  /// Deletes up to `limit` rows that are older than `time`, and returns how many. The row of the newest backup stays, because operators are
  /// alerted when the newest backup is too old.
  func deleteAudit(before time: Int64, limit: Int) throws -> Int {
    let kept = try newestAuditBeyond(0, of: .backupMade)?.number ?? 0
    return try execute(
      """
      DELETE FROM audit WHERE id IN
        (SELECT id FROM audit WHERE at < \(time) AND id <> \(kept) ORDER BY at, id LIMIT \(limit))
      """)
  }

  /// The time and number of the newest row that is not among the newest `kept` rows of a kind; nil if there is none.
  func newestAuditBeyond(_ kept: Int, of kind: AuditKind) throws -> (time: Int64, number: Int64)? {
    try first(
      """
      SELECT at, id FROM audit WHERE kind = \(kind.rawValue) ORDER BY at DESC, id DESC LIMIT 1 OFFSET \(kept)
      """
    ) { (try $0.get("at"), try $0.get("id")) }
  }

  /// Deletes up to `limit` rows of a kind up to and including a row, oldest first, and returns how many.
  func deleteAudit(of kind: AuditKind, upTo row: (time: Int64, number: Int64), limit: Int) throws -> Int {
    try execute(
      """
      DELETE FROM audit WHERE id IN (
        SELECT id FROM audit
        WHERE kind = \(kind.rawValue) AND (at < \(row.time) OR (at = \(row.time) AND id <= \(row.number)))
        ORDER BY at, id LIMIT \(limit))
      """)
  }
}

extension AuditRecord {
  fileprivate init(_ row: Row) throws {
    number = try row.get("id")
    time = try row.get("at")
    kind = try row.get("kind")
    actor = try row.get("actor")
    account = try row.get("account_id")
    subject = try row.get("subject")
    origin = Origin(edition: try row.get("edition"), address: try row.get("address"))
    node = try row.get("node")
    detail = AuditDetail.texts(try row.get("detail"))
  }
}
