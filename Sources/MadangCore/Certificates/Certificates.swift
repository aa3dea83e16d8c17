import Storage

// Writes go on in read-only mode, which may last longer than a certificate: they change no data of people.

extension Madang {
  /// The state of a certificate; nil before its first try.
  package func certificate(_ id: CertificateID) async throws -> CertificateState? {
    try await database.read { try $0.certificate(id) }
  }

  /// The present certificate; nil if there is none.
  package func storedCertificate(_ id: CertificateID) async throws -> StoredCertificate? {
    guard let (revision, chain, stored) = try await database.read({ try $0.storedCertificate(id) }) else { return nil }
    let key = stored.flatMap { StoredSecret.secret(of: $0, key: settings.certificateKey) }
    return StoredCertificate(revision: revision, chain: chain, key: key.map { String(decoding: $0, as: UTF8.self) })
  }

  /// Claims the next try for this server, if it is due. Until ``CertificatePlan/pause(after:)`` has passed no server tries again, even if
  /// this one ends: a server that starts again and again does not trouble the authority.
  /// - Returns: Nil if no try is due, or another server was faster.
  package func claimCertificate(_ id: CertificateID) async throws -> CertificateTry? {
    try await database.write(ignoresStop: true) { [self] transaction in
      let now = clock.now
      try transaction.insertCertificate(id)
      guard let state = try transaction.certificate(id), state.isWanted(now: now) else { return nil }
      let order = state.wish == .revocation ? nil : try keptOrder(id, state, now: now, transaction)
      // The certificate of a kept order is no further one.
      if state.wish != .revocation, order == nil, let end = try endOfLimit(id, now: now, transaction) {
        if state.wish != .nothing {
          try transaction.askForCertificate(id, .nothing)
        } else {
          try transaction.failCertificate(
            id, Self.limitWords, cure: "wait for the next try; one certificate is enough for all servers",
            next: min(end, now + CertificatePlan.longestPause), heldUntil: state.heldUntil, now: now)
        }
        return nil
      }
      let next = now + CertificatePlan.pause(after: state.failures + 1)
      guard try transaction.claimCertificate(id, state, now: now, next: next) else { return nil }
      return CertificateTry(
        begunAt: now, failures: state.failures, wish: state.wish, chain: state.chain,
        isReplaced: state.wish == .revocation || state.renewAt == 0, order: order)
    }
  }

  /// The order that a try can go on with. It cannot for long: an authority may never finish an order.
  private func keptOrder(
    _ id: CertificateID, _ state: CertificateState, now: Int64, _ transaction: Transaction
  ) throws -> (url: String, key: String)? {
    // Earlier versions store certificates without forgetting the order; failures are zero then.
    guard let time = state.orderedAt, state.failures > 0, abs(now - time) < CertificatePlan.orderLife,
      let (url, stored) = try transaction.certificateOrder(id),
      let key = StoredSecret.secret(of: stored, key: settings.certificateKey)
    else { return nil }
    return (url, String(decoding: key, as: UTF8.self))
  }

  /// Keeps a begun order for the next try, until its certificate is stored. Nil forgets it.
  /// - Throws: `CancellationError` if another server has claimed a try meanwhile: an order of its own may be kept.
  package func keepCertificateOrder(
    _ id: CertificateID, _ order: (url: String, key: String)?, of claimed: CertificateTry
  ) async throws {
    let key = try order.map { try StoredSecret.text(of: Array($0.key.utf8), key: settings.certificateKey) }
    try await database.write(ignoresStop: true) { [self] in
      guard
        try $0.setCertificateOrder(
          id, url: order?.url, key: key, now: order == nil ? nil : clock.now, triedAt: claimed.begunAt)
      else { throw CancellationError() }
    }
  }

  /// When the limit of certificates ends; nil if it is not reached.
  private func endOfLimit(_ id: CertificateID, now: Int64, _ transaction: Transaction) throws -> Int64? {
    let issues = try transaction.certificateIssues(
      id, since: now - CertificatePlan.window, now: now, limit: CertificatePlan.limit)
    return issues.count < CertificatePlan.limit ? nil : issues.first.map { $0 + CertificatePlan.window }
  }

  /// Counts a certificate that is not taken: the authority counts it, too.
  /// - Parameter keepsOrder: Whether the next try fetches it again.
  package func certificateRefused(_ id: CertificateID, keepsOrder: Bool, of claimed: CertificateTry) async throws {
    try await database.write(ignoresStop: true) { [self] in
      try $0.insertCertificateIssue(id, now: clock.now)
      if !keepsOrder { _ = try $0.setCertificateOrder(id, url: nil, key: nil, now: nil, triedAt: claimed.begunAt) }
    }
  }

  /// Stores a new certificate for all servers.
  /// - Parameters:
  ///   - key: The private key in PEM.
  ///   - issuer: Who signed it, for the audit log.
  package func store(
    _ id: CertificateID, chain: String, key: String, renewAt: Int64, issuer: String
  ) async throws {
    let stored = try StoredSecret.text(of: Array(key.utf8), key: settings.certificateKey)
    try await database.write(ignoresStop: true) { [self] transaction in
      let now = clock.now
      try transaction.insertCertificateIssue(id, now: now)
      try transaction.setCertificate(id, chain: chain, key: stored, renewAt: renewAt, now: now)
      try transaction.deleteCertificateRemains(before: now - CertificatePlan.remembered)
      try audit(
        AuditEntry(kind: .certificateIssued, actor: .server, subject: id.text, detail: ["issuer": issuer]),
        in: transaction)
    }
  }

  /// Records a failed try.
  /// - Parameters:
  ///   - pause: How long the authority asks to wait, in milliseconds; nil if it does not say.
  ///   - keepsPresent: Whether a renewal is due when it was before, because the present certificate is good.
  /// - Returns: When the next try may begin.
  package func certificateFailed(
    _ id: CertificateID, failures: Int, error: String, cure: String, pause: Int64?,
    keepsPresent: Bool = false
  ) async throws -> Int64 {
    try await database.write(ignoresStop: true) { [self] transaction in
      let now = clock.now
      let held = pause.map { now + $0 } ?? 0
      let next = max(now + CertificatePlan.pause(after: failures), held)
      try transaction.failCertificate(
        id, error, cure: cure, next: next, heldUntil: held, now: now, keepsPresent: keepsPresent)
      try audit(
        AuditEntry(
          kind: .certificateFailed, actor: .server, subject: id.text, detail: ["why": error, "tries": "\(failures)"]),
        in: transaction)
      return next
    }
  }

  /// Forgets a certificate that cannot be used: a server orders another one. Does nothing if there is a newer one.
  package func dropCertificate(_ id: CertificateID, revision: Int64) async throws {
    try await database.write(ignoresStop: true) { try $0.dropCertificate(id, revision: revision) }
  }

  /// The present certificate was revoked: another one is ordered until there is one.
  package func certificateRevoked(_ id: CertificateID) async throws {
    try await database.write(ignoresStop: true) { try $0.endCertificate(id) }
  }

  /// What becomes of an administrator's wish.
  package enum CertificateAnswer: Sendable {
    /// A running server tries soon.
    case planned
    /// The authority wants no tries until then.
    case held(until: Int64)
    /// Too many certificates were issued for these names.
    case limited(until: Int64)
    /// Administrators have asked too often.
    case asked(until: Int64)
  }

  /// Lets a running server order a new certificate now, within the limits.
  /// - Parameter wish: With `.revocation` the present certificate is revoked, too, and the limit of certificates does not count.
  package func askForCertificate(
    _ id: CertificateID, _ wish: CertificateState.Wish, by administrator: Administrator
  ) async throws -> CertificateAnswer {
    try await database.write(ignoresStop: true) { [self] transaction in
      let now = clock.now
      try transaction.insertCertificate(id)
      guard let state = try transaction.certificate(id) else { return .planned }
      if wish != .revocation, state.isHeld(now: now) { return .held(until: state.heldUntil) }
      if wish != .revocation, let end = try endOfLimit(id, now: now, transaction) { return .limited(until: end) }
      // A wish that waits is one wish.
      if wish == .renewal, state.wish == .nothing || state.isWishTried {
        if let end = try endOfAsking(id, now: now, transaction) { return .asked(until: end) }
        try transaction.insertCertificateWish(id, now: now)
      }
      try transaction.askForCertificate(id, state.wish == .revocation ? .revocation : wish)
      try audit(
        AuditEntry(
          kind: .certificateAsked, actor: .administrator(administrator), subject: id.text,
          detail: ["what": wish.rawValue]), in: transaction)
      return .planned
    }
  }

  /// When an administrator may ask again; nil for now.
  private func endOfAsking(_ id: CertificateID, now: Int64, _ transaction: Transaction) throws -> Int64? {
    let wishes = try transaction.certificateWishes(
      id, since: now - CertificatePlan.askedWindow, now: now, limit: CertificatePlan.askedLimit)
    return wishes.count < CertificatePlan.askedLimit ? nil : wishes.first.map { $0 + CertificatePlan.askedWindow }
  }

  package static let limitWords =
    "\(CertificatePlan.limit) certificates were issued for these names within 7 days, and authorities give no more"

  /// The account at an authority, which all servers share: its key in PEM, and its URL if it was registered. Without one, `newKey` becomes
  /// its key; an account whose key was sealed with another `tokens.key` is lost, and replaced.
  package func certificateAccount(
    _ directory: String, newKey: @escaping @Sendable () -> String
  ) async throws -> (key: String, url: String?) {
    let seal = settings.certificateKey
    return try await database.write(ignoresStop: true) { transaction in
      let fresh = newKey()
      let stored = try StoredSecret.text(of: Array(fresh.utf8), key: seal)
      try transaction.insertCertificateAccount(directory, key: stored)
      guard let found = try transaction.certificateAccount(directory),
        let key = StoredSecret.secret(of: found.key, key: seal)
      else {
        try transaction.setCertificateAccount(directory, key: stored, url: "")
        return (fresh, nil)
      }
      return (String(decoding: key, as: UTF8.self), found.url.isEmpty ? nil : found.url)
    }
  }

  /// Stores the URL that the authority gave the account.
  package func setCertificateAccount(_ directory: String, key: String, url: String) async throws {
    let stored = try StoredSecret.text(of: Array(key.utf8), key: settings.certificateKey)
    try await database.write(ignoresStop: true) {
      try $0.setCertificateAccount(directory, key: stored, url: url)
    }
  }
}

extension CertificateState {
  /// Whether a try is wanted now, if the limits allow it.
  package func isWanted(now: Int64) -> Bool {
    if wish != .revocation, isHeld(now: now) { return false }
    if wish != .nothing, !isWishTried { return askedAt <= now || triedAt > now }
    return (isWishTried || chain == nil || renewAt <= now) && !isFuture(nextAt, now)
  }

  /// When a try that an administrator asks for may begin.
  private var askedAt: Int64 { failures == 0 ? 0 : triedAt + CertificatePlan.askedPause(after: failures) }

  /// Whether the authority wants no tries now.
  func isHeld(now: Int64) -> Bool { isFuture(heldUntil, now) }

  /// Whether a planned time is still to come.
  private func isFuture(_ time: Int64, _ now: Int64) -> Bool { believed(time, now) > now }

  /// A planned time; 0 if it is so far ahead that it comes from a wrong clock.
  private func believed(_ time: Int64, _ now: Int64) -> Int64 { time <= now + CertificatePlan.farAhead ? time : 0 }

  /// When the next try begins, in milliseconds since 1970.
  package func nextTry(now: Int64) -> Int64 {
    let held = believed(heldUntil, now)
    if wish != .nothing, !isWishTried { return max(now, held, believed(askedAt, now)) }
    return max(isWishTried || chain == nil ? 0 : renewAt, believed(nextAt, now), held)
  }
}
