import Storage

extension Madang {
  /// The network that counts as one client.
  static func network(of address: String) -> String { IPAddress(address)?.texts.network ?? address }

  /// Counts an attempt at a name and from a network before it is known to fail, so that parallel attempts count like successive ones. All
  /// servers of the database count together. Throws ``AdministratorRefusal`` `.wait` if there were too many.
  ///
  /// Attempts from the address of the administrator's last sign-in are counted apart: other people cannot lock the administrator out there.
  /// - Returns: What was counted, for ``Transaction/forgetTries(_:)``.
  @discardableResult
  func countTry(at key: String, from address: String) async throws -> [String] {
    let (now, limits) = (clock.now, settings.administrators)
    let network = Self.network(of: address)
    let (tries, wait) = try await database.write(ignoresStop: true) { transaction -> ([String], Int64?) in
      let isHome = try transaction.administrator(key: key)?.address == address
      let tries = [isHome ? "home \(network) \(key)" : "name \(key)", "network \(network)"].map(\.sha256).sorted()
      return (tries, try transaction.takeTry(tries, limits, now: now))
    }
    if let wait { throw Self.tooMany(wait) }
    return tries
  }

  /// Counts a failed attempt from a network. Throws as ``countTry(at:from:)``.
  func countFailure(from address: String) async throws {
    let (now, limits) = (clock.now, settings.administrators)
    let wait = try await database.write(ignoresStop: true) { transaction in
      try transaction.takeTry(["network \(Self.network(of: address))".sha256], limits, now: now)
    }
    if let wait { throw Self.tooMany(wait) }
  }

  private static func tooMany(_ wait: Int64) -> AdministratorRefusal {
    let seconds = max(1, (wait + 999) / 1000)
    return AdministratorRefusal(.wait, "too many attempts; wait \(seconds) s", retryAfter: seconds)
  }

  /// Logs a refused attempt, unless there were many within a short time: unknown clients cause them.
  /// - Parameter session: The session of the attempt; nil if the client is unknown.
  func auditRefusal(
    at name: String, from address: String, _ why: String, of session: AdministratorSession? = nil,
    in transaction: Transaction
  ) throws {
    let (now, limits) = (clock.now, settings.administrators)
    guard
      try transaction.auditCount(of: .administratorRefused, since: now - limits.tryWindow, limit: limits.refusals)
        < limits.refusals
    else { return }
    // Cut by bytes first: one character may have any number of them.
    let cut = String(decoding: name.utf8.prefix(1000), as: UTF8.self).prefix(200)
    let shown = String(
      cut.map { $0.unicodeScalars.contains { $0.properties.generalCategory == .control } ? "\u{FFFD}" : $0 })
    try audit(
      AuditEntry(
        kind: .administratorRefused, actor: session.map { .administrator($0.actor(at: address)) } ?? .unknownClient,
        subject: shown,
        origin: Origin(edition: "", address: address), detail: ["why": why]), in: transaction)
  }

  func audit(
    _ kind: AuditKind, _ subject: String, by actor: Administrator, _ detail: AuditDetail, in transaction: Transaction
  ) throws {
    try audit(AuditEntry(kind: kind, actor: .administrator(actor), subject: subject, detail: detail), in: transaction)
  }
}
