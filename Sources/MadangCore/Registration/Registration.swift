import Storage

/// Who may make an account.
public enum Registration: String, CaseIterable, Sendable {
  /// Whoever has an API key.
  case open
  /// Whose address was invited.
  case invite
  /// Whose address is of one of the domains of the settings, or was invited.
  case domain
  /// Nobody.
  case closed
}

extension Madang {
  /// The rule of who may make an account, for every way to make one: asked in the transaction that makes it. Answers the
  /// invitation that is used up by it, if it needs one. Throws `.notAdmitted`.
  func admit(_ email: String, from origin: Origin, in transaction: Transaction) throws -> Int64? {
    let mode = try mode(of: origin, in: transaction)
    guard needsInvitation(email, mode) else { return nil }
    let invitation =
      mode == .closed ? nil : try transaction.useInvitation(of: TextRules.emailKey(email), now: clock.now)
    guard let invitation else { throw refusal(mode) }
    return invitation
  }

  /// The same for who asks before, without using an invitation up. Throws `.notAdmitted`.
  func requireAdmission(of email: String, from origin: Origin, in transaction: Transaction) throws {
    let mode = try mode(of: origin, in: transaction)
    guard needsInvitation(email, mode) else { return }
    let isInvited =
      try mode != .closed && transaction.hasInvitation(of: TextRules.emailKey(email), now: clock.now)
    guard isInvited else { throw refusal(mode) }
  }

  private func needsInvitation(_ email: String, _ mode: Registration) -> Bool {
    switch mode {
    case .open: false
    case .domain: !settings.registration.domains.contains(TextRules.emailDomain(email))
    case .invite, .closed: true
    }
  }

  /// That of the key, else that of the settings.
  private func mode(of origin: Origin, in transaction: Transaction) throws -> Registration {
    guard let hash = origin.keyHash, let text = try transaction.rule(ofKey: hash)?.registration else {
      return settings.registration.mode
    }
    // What only a newer version knows is not for this one to open.
    return Registration(rawValue: text) ?? .closed
  }

  private func refusal(_ mode: Registration) -> Failure {
    Failure(.notAdmitted, "email: registration is '\(mode.rawValue)', and this address may not make an account")
  }
}
