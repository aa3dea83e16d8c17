import Storage

/// A notice that Apple or Kakao sends about a person.
package struct ProviderNotice: Sendable {
  package enum Event: Sendable {
    /// The person revoked the app's access.
    case accessRevoked
    /// The person's account at the provider was deleted.
    case accountDeleted
    /// The person started or stopped receiving mails through the provider.
    case mailChanged
  }

  package let provider: SocialProvider
  /// The provider's id of the person.
  package let subject: String
  package let event: Event
  /// The provider's name of the event, for the audit log.
  package let word: String
  /// When the event happened, in milliseconds since 1970.
  package let time: Int64

  package init(provider: SocialProvider, subject: String, event: Event, word: String, time: Int64) {
    (self.provider, self.subject, self.event, self.word, self.time) = (provider, subject, event, word, time)
  }
}

/// The result of a notice.
package enum NoticeOutcome: String, Sendable, CaseIterable {
  case heeded
  /// This notice, or a later one, was processed before.
  case repeated
  /// The person has no account here.
  case unknown
}

extension Madang {
  /// Processes a provider's notice about a person: ends all sessions of the account and rejects tokens that were issued before. A newer
  /// token leads to the same account. Repeated and late notices change nothing.
  ///
  /// If the settings say so, the account is deleted together with the provider's, unless it owns workspaces or belongs to one on legal
  /// hold. In read-only mode its sessions end and `.writesStopped` is thrown; the account is deleted when the notice comes again.
  package func process(_ notice: ProviderNotice, from address: String) async throws -> NoticeOutcome {
    guard notice.event == .accountDeleted, settings.accounts.deletedWithProvider else {
      return try await revoke(notice, from: address)
    }
    do { return try await delete(by: notice, from: address) } catch let failure as Failure
      where [.held, .mustHandOver].contains(failure.code)
    {
      return try await revoke(notice, from: address, keptBecause: failure.message)
    } catch let error as StorageError where error.code == .writesStopped {
      // The sessions end even though the deletion is left to the provider's next attempt.
      _ = try await revoke(notice, from: address, keptBecause: "read-only mode")
      throw error
    }
  }

  private func delete(by notice: ProviderNotice, from address: String) async throws -> NoticeOutcome {
    try await database.write { [self] transaction in
      guard let account = try transaction.lockedAccount(of: notice.provider, subject: notice.subject) else {
        return .unknown
      }
      // An older notice may be about an account that was deleted before this one was made. An account whose sign-ins were only revoked is
      // deleted when the notice comes again.
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
    try await database.write(ignoresStop: true) { [self] transaction in
      // Locked, so that no session starts with an older token meanwhile.
      guard let account = try transaction.lockedAccount(of: notice.provider, subject: notice.subject) else {
        return .unknown
      }
      // This event changes nothing and is not written to the audit log, because such notices may come often.
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
