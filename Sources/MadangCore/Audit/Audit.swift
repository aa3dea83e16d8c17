import Storage

/// The conditions of a query of the audit log.
package struct AuditFilter: Sendable {
  /// Milliseconds since 1970.
  package var since: Int64 = .min
  /// Exclusive.
  package var until: Int64 = .max
  /// Empty for all kinds.
  package var kinds: [AuditKind] = []
  /// Selects rows about this account: what it did, what was done to it, and what was tried with its address. Nil for all rows.
  package var email: String?

  /// Selects rows about the account with this number, also after its deletion. Nil for all rows.
  package var account: Int64?

  /// Selects rows that are older than the row with this number; nil for all rows.
  package var before: Int64?

  package init() {}
}

/// A failed sign-in, or a sign-up that was not allowed.
package struct RefusedSignIn: Sendable {
  package let kind: AuditKind
  /// Milliseconds since 1970.
  package let time: Int64
  /// As ``Madang/emailKey(_:)`` returns it; empty if the client sent no address.
  package let emailKey: String
  package let origin: Origin
  /// A reason in words. Contains nothing that the client sent.
  package let reason: String

  package init(_ kind: AuditKind = .signInRefused, time: Int64, emailKey: String, origin: Origin, reason: String) {
    (self.kind, self.time, self.emailKey, self.origin, self.reason) = (kind, time, emailKey, origin, reason)
  }
}

extension Madang {
  /// Writes a row in the transaction of the action that it records. It is announced after the commit.
  func audit(_ entry: AuditEntry, in transaction: Transaction) throws {
    let record = try transaction.insertAudit(entry, node: settings.node, now: clock.now)
    transaction.afterCommit { [announce] in announce(.audited(record)) }
  }

  /// Logs a successful sign-in or sign-up.
  func audit(
    _ kind: AuditKind, _ person: Person, _ session: SessionID, _ origin: Origin, by method: String,
    invitation: Int64? = nil, waitsFor: [Waiting] = [], isNewPlace: Bool = false, in transaction: Transaction
  ) throws {
    var detail = ["session": "\(session.number)", "by": method]
    if isNewPlace { detail["place"] = "new" }
    detail["invitation"] = invitation.map { "\($0)" }
    if !waitsFor.isEmpty { detail["waitsFor"] = waitsFor.map(\.rawValue).joined(separator: ", ") }
    try audit(
      AuditEntry(
        kind: kind, actor: .account(person.id.number), account: person.id.number, subject: person.email, origin: origin,
        detail: AuditDetail(detail)), in: transaction)
  }

  /// Logs an action of an administrator outside the database.
  /// - Parameter detail: Must not contain secrets. Texts are cut to 200 characters.
  package func audit(
    _ kind: AuditKind, subject: String, detail: [String: String], by administrator: Administrator
  ) async throws {
    try await database.write(ignoresStop: true) { [self] transaction in
      try audit(
        AuditEntry(kind: kind, actor: .administrator(administrator), subject: subject, detail: AuditDetail(detail)),
        in: transaction)
    }
  }

  /// Logs that this server was started, and which settings differ from its previous start.
  /// - Parameter given: Settings that differ from their defaults, by name, without secrets.
  package func auditStart(_ given: [String: String]) async throws {
    try await database.write(ignoresStop: true) { [self] transaction in
      let settings = AuditDetail(given)
      let now = AuditDetail.texts(settings.json)
      if let before = try transaction.newestAuditDetail(of: .serverStarted, node: self.settings.node), before != now {
        let names = Set(before.keys).union(now.keys).filter { before[$0] != now[$0] }
        let changes = names.map { ($0, "\(before[$0] ?? "default") -> \(now[$0] ?? "default")") }
        try audit(
          AuditEntry(
            kind: .settingsChanged, actor: .server, detail: AuditDetail(Dictionary(uniqueKeysWithValues: changes))),
          in: transaction)
      }
      try audit(AuditEntry(kind: .serverStarted, actor: .server, detail: settings), in: transaction)
    }
  }

  /// Logs that this server runs with changed settings from now on.
  func auditChange(of settings: [String: String]) async throws {
    try await database.write(ignoresStop: true) { [self] transaction in
      try audit(AuditEntry(kind: .settingsChanged, actor: .server, detail: AuditDetail(settings)), in: transaction)
    }
  }

  /// Logs a batch of failed sign-ins.
  /// - Parameter leftOut: How many more there were; of these only the number is logged.
  package func audit(_ refused: [RefusedSignIn], leftOut: Int) async throws {
    try await database.write(ignoresStop: true) { [self] transaction in
      for refusal in refused {
        let person = refusal.emailKey.isEmpty ? nil : try transaction.personByEmail(refusal.emailKey)
        try audit(
          AuditEntry(
            kind: refusal.kind, actor: .unknownClient, account: person?.id.number,
            subject: person?.email ?? refusal.emailKey, origin: refusal.origin, detail: ["why": refusal.reason],
            time: refusal.time), in: transaction)
      }
      guard leftOut > 0 else { return }
      try audit(
        AuditEntry(kind: .signInRefused, actor: .unknownClient, detail: ["leftOut": "\(leftOut)"]), in: transaction)
    }
  }

  /// The newest `limit` rows that match, oldest first.
  package func audit(_ filter: AuditFilter, limit: Int) async throws -> [AuditRecord] {
    try await database.read { try $0.audit(filter, limit: limit).reversed() }
  }

  /// One page of rows, the newest first.
  /// - Parameter part: A part of the subject, ignoring case; empty for any. If an account has it as its address, rows about that account are
  ///   selected by an index; otherwise rows are examined one by one (see ``SearchPage``). Throws `.invalid` if it is too long.
  package func auditPage(_ filter: AuditFilter, about part: String, limit: Int) async throws -> SearchPage<AuditRecord>
  {
    let (text, filter) = (try SearchedText(part), try await naming(part, filter))
    guard !text.isEmpty, filter.email == nil else {
      return try await database.read {
        SearchPage(try $0.audit(filter, limit: limit + 1), limit: limit, number: \.number)
      }
    }
    return try await search(
      after: filter.before, limit: limit, number: \.number,
      read: { transaction, last, limit in
        var filter = filter
        filter.before = last
        return try transaction.audit(filter, limit: limit)
      }, where: { text.isPart(of: $0.subject) })
  }

  private func naming(_ email: String, _ filter: AuditFilter) async throws -> AuditFilter {
    var filter = filter
    if !email.isEmpty, try await accountNumber(email: email) != nil { filter.email = email }
    return filter
  }

  /// Deletes rows that are too old, and failed sign-ins beyond their limit, one page at a time.
  package func forgetAudit() async throws {
    let page = 500
    if settings.audit.days > 0 {
      let before = clock.now - Int64(settings.audit.days) * 24 * 3_600_000
      while try await database.write({ try $0.deleteAudit(before: before, limit: page) }) == page {}
    }
    for kind in [AuditKind.signInRefused, .signUpRefused, .administratorRefused] {
      // Delete up to a row, not a number of rows: another server that cleans up at the same time must not cause more deletions.
      let kept = settings.audit.refusals
      guard let last = try await database.read({ try $0.newestAuditBeyond(kept, of: kind) }) else { continue }
      while try await database.write({ try $0.deleteAudit(of: kind, upTo: last, limit: page) }) == page {}
    }
  }
}
