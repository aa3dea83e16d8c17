import Storage

extension Madang {
  /// Days for which an invitation can be made.
  package static let invitationDays = 1...3650
  /// Addresses that one code can invite.
  package static let invitationUses = 1...100_000

  /// Invites an address: it may make one account until then. Throws `.invalid`, `.duplicate` if an account has it.
  package func invite(email: String, days: Int) async throws -> Invitation {
    let email = try TextRules.email(email)
    let lifetime = try Self.lifetime(days)
    return try await database.write { [self] transaction in
      let key = TextRules.emailKey(email)
      guard try !transaction.emailExists(key) else { throw Failure(.duplicate, "an account has the address \(email)") }
      let invitation = try transaction.insertInvitation(
        of: email, key: key, code: nil, now: clock.now, expiresAt: clock.now + lifetime)
      try audit(.invitationMade, invitation, by: .administrator, in: transaction)
      return invitation
    }
  }

  /// Makes a code that invites as many addresses as it has uses. It is answered this once. Throws `.invalid`.
  package func inviteByCode(uses: Int, days: Int) async throws -> (code: LinkCode, invitation: Invitation) {
    guard Self.invitationUses.contains(uses) else { throw Failure(.invalid, "uses: 1 to 100000") }
    let lifetime = try Self.lifetime(days)
    let code = LinkCode(ids)
    let invitation = try await database.write { [self] transaction in
      let invitation = try transaction.insertInvitation(
        codeHash: code.hash, uses: uses, now: clock.now, expiresAt: clock.now + lifetime)
      try audit(.invitationMade, invitation, by: .administrator, in: transaction)
      return invitation
    }
    return (code, invitation)
  }

  /// Invites an address by a code, which has one use less then. An address that is invited, or has an account, costs none, and
  /// one that this code has invited may be named again. Throws `.invalid` for what is no address, `.notFound` if the code is unknown,
  /// revoked, expired or used up.
  package func accept(code: String, email: String, from address: String) async throws {
    let hash = LinkCode.hash(code)
    try await requireCode(code)
    let email = try TextRules.email(email)
    let key = TextRules.emailKey(email)
    try await database.write { [self] transaction in
      let now = clock.now
      guard let known = try transaction.code(hash: hash, now: now) else { throw Self.unknownCode }
      if try transaction.hasInvited(key, by: known.id) { return }
      // Whoever has a code that is used up learns nothing of other addresses.
      guard known.usesLeft > 0 else { throw Self.unknownCode }
      // One and the same answer: who asks is not told who has an account.
      guard try !transaction.emailExists(key), try !transaction.hasInvitation(of: key, now: now) else { return }
      guard let code = try transaction.useCode(hash: hash, now: now) else { throw Self.unknownCode }
      let invitation = try transaction.insertInvitation(
        of: email, key: key, code: code.id, now: now, expiresAt: code.expiresAt)
      let origin = Origin(edition: "", address: address)
      try audit(.invitationAccepted, invitation, by: .stranger, from: origin, in: transaction)
    }
  }

  /// Throws `.notFound` unless the code can still invite somebody.
  package func requireInvitation(code: String) async throws {
    guard LinkCode.hasForm(code),
      try await database.read({ [now = clock.now] in try $0.isUsable(codeHash: LinkCode.hash(code), now: now) })
    else { throw Self.unknownCode }
  }

  /// Throws `.notFound` unless the code is one that is neither revoked nor expired. It may be used up.
  package func requireCode(_ code: String) async throws {
    guard LinkCode.hasForm(code),
      try await database.read({ [now = clock.now] in try $0.code(hash: LinkCode.hash(code), now: now) }) != nil
    else { throw Self.unknownCode }
  }

  private static var unknownCode: Failure {
    Failure(.notFound, "the invitation is unknown, revoked, expired or used up")
  }

  /// Invitations by their numbers, those after one, at most so many.
  package func invitations(after number: Int64, limit: Int) async throws -> [Invitation] {
    try await database.read { try $0.invitations(after: number, limit: limit) }
  }

  /// Ends an invitation, and those of addresses that it has invited and that are still good. Throws `.notFound`.
  package func revokeInvitation(_ id: Int64) async throws -> Invitation {
    try await database.write { [self] transaction in
      guard let revoked = try transaction.revokeInvitation(id, now: clock.now) else {
        throw Failure(
          .notFound, "there is no such invitation, or it was revoked: \(id); see 'madang admin invite list'")
      }
      try audit(.invitationRevoked, revoked, by: .administrator, in: transaction)
      return revoked
    }
  }

  /// How long invitations are listed after their end, in milliseconds.
  private static let expiredInvitationLifetime: Int64 = 90 * 24 * 3_600_000

  /// Deletes invitations that ended long ago, some at a time.
  package func forgetInvitations() async throws {
    let page = 500
    while try await database.write({ [before = clock.now - Self.expiredInvitationLifetime] transaction in
      try transaction.deleteInvitations(expiredBefore: before, limit: page)
    }) == page {}
  }

  private static func lifetime(_ days: Int) throws -> Int64 {
    guard invitationDays.contains(days) else { throw Failure(.invalid, "days: 1 to 3650") }
    return Int64(days) * 24 * 3_600_000
  }

  private func audit(
    _ kind: AuditKind, _ invitation: Invitation, by actor: AuditActor, from origin: Origin? = nil,
    in transaction: Transaction
  ) throws {
    let code = invitation.code.map { ["code": "\($0)"] } ?? [:]
    try audit(
      AuditEntry(
        kind: kind, actor: actor, subject: invitation.email ?? "code \(invitation.id)",
        origin: origin ?? Origin(edition: "", address: ""),
        detail: AuditDetail(
          code.merging(["invitation": "\(invitation.id)", "uses": "\(invitation.usesLeft)"]) { first, _ in first })),
      in: transaction)
  }
}
