import Storage

/// What Apple or Kakao tells of a person without being asked.
package struct ProviderNotice: Sendable {
  package enum Event: Sendable {
    /// The person took back the app's access.
    case accessRevoked
    /// The person's account at the provider is no more.
    case accountDeleted
    /// Whether mails reach the person is different now.
    case mailChanged
  }

  package let provider: SocialProvider
  /// The provider's own id of the person.
  package let subject: String
  package let event: Event
  /// The provider's own word for the event, for the audit log.
  package let word: String
  /// When it happened, in milliseconds since 1970.
  package let time: Int64

  package init(provider: SocialProvider, subject: String, event: Event, word: String, time: Int64) {
    (self.provider, self.subject, self.event, self.word, self.time) = (provider, subject, event, word, time)
  }
}

/// What became of a notice.
package enum NoticeOutcome: String, Sendable, CaseIterable {
  case heeded
  /// It, or a later one, was heeded before.
  case repeated
  /// Nobody with an account here.
  case unknown
}

extension Madang {
  /// Heeds what a provider tells of a person: all their sessions end, and a token that was issued before signs in no more. A
  /// newer one leads to the same account. What comes again, or late, changes nothing.
  ///
  /// Where the settings say so, an account is deleted with the one at the provider, unless it owns workspaces or belongs to one on
  /// legal hold. In read-only mode their sessions end, and it throws `.writesStopped`: the account is deleted when the notice comes again.
  package func heed(_ notice: ProviderNotice, from address: String) async throws -> NoticeOutcome {
    guard notice.event == .accountDeleted, settings.accounts.deletedWithProvider else {
      return try await revoke(notice, from: address)
    }
    do { return try await delete(by: notice, from: address) } catch let failure as Failure
      where [.held, .mustHandOver].contains(failure.code)
    {
      return try await revoke(notice, from: address, keptBecause: failure.message)
    } catch let error as StorageError where error.code == .writesStopped {
      // Nobody stays signed in for that. The deletion is left to the provider's next attempt.
      _ = try await revoke(notice, from: address, keptBecause: "read-only mode")
      throw error
    }
  }

  private func delete(by notice: ProviderNotice, from address: String) async throws -> NoticeOutcome {
    try await database.write { [self] transaction in
      guard let account = try transaction.lockedAccount(of: notice.provider, subject: notice.subject) else {
        return .unknown
      }
      // One from before may be about an account that was deleted then. One whose sign-ins were only revoked is deleted when it comes again.
      let (time, user) = (min(notice.time, clock.now), account.person.id.number)
      guard time >= account.createdAt, try transaction.signInRevoked(user, now: clock.now) ?? .min <= time else {
        return .repeated
      }
      try audit(notice, of: account.person, from: address, in: transaction)
      _ = try delete(account.person, by: .provider(notice.provider), revokedAt: time, in: transaction)
      return .heeded
    }
  }

  private func revoke(_ notice: ProviderNotice, from address: String, keptBecause reason: String? = nil) async throws
    -> NoticeOutcome
  {
    try await database.write(heedsStop: false) { [self] transaction in
      // Locked: no session begins by an older token meanwhile.
      guard let account = try transaction.lockedAccount(of: notice.provider, subject: notice.subject) else {
        return .unknown
      }
      // It changes nothing and is not written to the audit log: such a notice may come many times.
      guard notice.event != .mailChanged else { return .heeded }
      let user = account.person.id.number
      let time = min(notice.time, clock.now)
      guard try transaction.signInRevoked(user, now: clock.now) ?? .min < time else { return .repeated }
      try transaction.revokeSignIn(user, at: time)
      var detail = ["sessions": "\(try endSessions(of: user, in: transaction))"]
      detail["kept"] = reason
      try audit(notice, of: account.person, from: address, detail, in: transaction)
      return .heeded
    }
  }

  private func audit(
    _ notice: ProviderNotice, of person: Person, from address: String, _ detail: [String: String] = [:],
    in transaction: Transaction
  ) throws {
    try audit(
      AuditEntry(
        kind: .providerNotice, actor: .provider(notice.provider), account: person.id.number, subject: person.email,
        origin: Origin(edition: "", address: address),
        detail: AuditDetail(detail.merging(["event": notice.word]) { $1 })), in: transaction)
  }
}
