import Storage

/// Which rows of the audit log are asked for.
package struct AuditFilter: Sendable {
  /// Milliseconds since 1970.
  package var since: Int64 = .min
  /// The first moment that is too late.
  package var until: Int64 = .max
  /// Empty for all.
  package var kinds: [AuditKind] = []
  /// What an account did, and what was done to it or tried with its address; nil for all.
  package var email: String?

  package init() {}
}

/// A sign-in that failed, or a sign-up of somebody who may not make an account.
package struct RefusedSignIn: Sendable {
  package let kind: AuditKind
  /// Milliseconds since 1970.
  package let time: Int64
  /// As ``Madang/emailKey(_:)`` has it; empty where none was shown.
  package let emailKey: String
  package let origin: Origin
  /// In words, without anything that the client sent.
  package let reason: String

  package init(_ kind: AuditKind = .signInRefused, time: Int64, emailKey: String, origin: Origin, reason: String) {
    (self.kind, self.time, self.emailKey, self.origin, self.reason) = (kind, time, emailKey, origin, reason)
  }
}

extension Madang {
  /// Writes a row in the transaction that does what it tells. After the commit it is announced.
  func audit(_ entry: AuditEntry, in transaction: Transaction) throws {
    let actor = entry.actor.text(administrator: settings.administrator)
    let record = try transaction.insertAudit(entry, actor: actor, node: settings.node, now: clock.now)
    transaction.afterCommit { [announce] in announce(.audited(record)) }
  }

  /// Writes to the audit log that somebody came in.
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

  /// Writes a row about something that an administrator did outside of the database.
  /// - Parameter detail: Never a secret. Texts are cut to 200 characters.
  package func audit(_ kind: AuditKind, subject: String, detail: [String: String]) async throws {
    try await database.write(heedsStop: false) { [self] transaction in
      try audit(
        AuditEntry(kind: kind, actor: .administrator, subject: subject, detail: AuditDetail(detail)), in: transaction)
    }
  }

  /// Writes that this server was started, and what has changed of its settings since it was the time before.
  /// - Parameter given: Settings by name that are not left at their defaults, without secrets.
  package func auditStart(_ given: [String: String]) async throws {
    try await database.write(heedsStop: false) { [self] transaction in
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

  /// Writes that this server goes by other settings since now.
  func auditChange(of settings: [String: String]) async throws {
    try await database.write(heedsStop: false) { [self] transaction in
      try audit(AuditEntry(kind: .settingsChanged, actor: .server, detail: AuditDetail(settings)), in: transaction)
    }
  }

  /// Writes sign-ins that failed, some at a time.
  /// - Parameter leftOut: How many others there were of which nothing is written but their number.
  package func audit(_ refused: [RefusedSignIn], leftOut: Int) async throws {
    try await database.write(heedsStop: false) { [self] transaction in
      for refusal in refused {
        let person = refusal.emailKey.isEmpty ? nil : try transaction.personByEmail(refusal.emailKey)
        try audit(
          AuditEntry(
            kind: refusal.kind, actor: .stranger, account: person?.id.number,
            subject: person?.email ?? refusal.emailKey, origin: refusal.origin, detail: ["why": refusal.reason],
            time: refusal.time), in: transaction)
      }
      guard leftOut > 0 else { return }
      try audit(
        AuditEntry(kind: .signInRefused, actor: .stranger, detail: ["leftOut": "\(leftOut)"]), in: transaction)
    }
  }

  /// Rows of the audit log that fit, the newest `limit` of them, the newest last.
  package func audit(_ filter: AuditFilter, limit: Int) async throws -> [AuditRecord] {
    try await database.read { try $0.audit(filter, limit: limit).reversed() }
  }

  /// Deletes rows that are too old, and sign-ins that failed beyond so many, some at a time.
  package func forgetAudit() async throws {
    let page = 500
    if settings.audit.days > 0 {
      let before = clock.now - Int64(settings.audit.days) * 24 * 3_600_000
      while try await database.write({ try $0.deleteAudit(before: before, limit: page) }) == page {}
    }
    for kind in [AuditKind.signInRefused, .signUpRefused] {
      // Up to a row, and not so many: another that tidies at the same time must not have more deleted.
      let kept = settings.audit.refusals
      guard let last = try await database.read({ try $0.newestAuditBeyond(kept, of: kind) }) else { continue }
      while try await database.write({ try $0.deleteAudit(of: kind, upTo: last, limit: page) }) == page {}
    }
  }
}
