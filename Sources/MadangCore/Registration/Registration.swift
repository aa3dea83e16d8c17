import Storage

extension Madang {
  /// Applies the rule of who may sign up, for every way to make an account, in the transaction that makes it. Returns the invitations that
  /// were used up: one if one was needed, and all that lead to a workspace. Throws `.notAdmitted`.
  func admit(_ email: String, from origin: Origin, in transaction: Transaction) throws -> [Invitation] {
    let mode = try mode(of: origin, in: transaction)
    guard mode != .closed else { throw refusal(mode) }
    let needsOne = needsInvitation(email, mode)
    let invitations = try transaction.useInvitations(
      of: TextRules.emailKey(email), needsOne: needsOne, now: clock.now)
    guard !needsOne || !invitations.isEmpty else { throw refusal(mode) }
    return invitations
  }

  /// Checks the rule in advance, without using up an invitation. Throws `.notAdmitted`.
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

  /// The key's own mode, or else the mode of the settings; where invitations are needed, nothing more open than that.
  private func mode(of origin: Origin, in transaction: Transaction) throws -> Registration {
    let mode = try keyMode(of: origin, in: transaction)
    return origin.needsInvitation && mode != .closed ? .invite : mode
  }

  private func keyMode(of origin: Origin, in transaction: Transaction) throws -> Registration {
    guard let hash = origin.keyHash, let text = try transaction.rule(ofKey: hash)?.registration else {
      return settings.registration.mode
    }
    // A mode that only a newer version knows is treated as closed.
    return Registration(rawValue: text) ?? .closed
  }

  private func refusal(_ mode: Registration) -> Failure {
    Failure(.notAdmitted, "email: registration is '\(mode.rawValue)', so this address may not create an account")
  }
}
