import Storage

extension Madang {
  /// Allowed lifetimes of an invitation, in days.
  package static let invitationDays = 1...3650
  /// Allowed numbers of addresses that one code invites.
  package static let invitationUses = 1...100_000

  /// Invites an address to make one account within `days`. The code of its link cannot be read again. Throws `.invalid`, `.notFound`, or
  /// `.duplicate` if an account has the address; ``MailLeftOut``.
  /// - Parameter sendsMail: Whether the link is mailed to the address.
  package func invite(
    email: String, days: Int, to invited: Invited = Invited(), sendsMail: Bool = false, by administrator: Administrator
  ) async throws -> (link: LinkCode, invitation: Invitation) {
    let email = try TextRules.email(email)
    let lifetime = try Self.lifetime(days)
    let inviter = try invited.inviterName()
    let link = LinkCode(ids)
    let invitation = try await database.write { [self] transaction in
      let key = TextRules.emailKey(email)
      let place = try InvitedPlace(invited, inviter, in: transaction)
      guard try !transaction.emailExists(key) else {
        let cure = place.workspace == nil ? "" : "; add the account to the workspace instead"
        throw Failure(.duplicate, "an account has the address \(email)\(cure)")
      }
      let invitation = try transaction.insertInvitation(
        of: email, key: key, link: link.hash, to: place, now: clock.now, expiresAt: clock.now + lifetime)
      if sendsMail { try mail(invitation, link, to: email, in: transaction) }
      try audit(.invitationMade, invitation, by: .administrator(administrator), isMailed: sendsMail, in: transaction)
      return invitation
    }
    return (link, invitation)
  }

  private func mail(_ invitation: Invitation, _ link: LinkCode, to email: String, in transaction: Transaction) throws {
    let mail = Mail(
      .invitation, to: email, \.invitation, settings,
      [
        "invitation": invitation.sentence(settings.face, settings.face.language(for: nil)),
        "until": Mail.minute(invitation.expiresAt), "link": settings.link(to: .invite, link),
      ])
    try queue(
      mail, of: nil, expiresAt: min(invitation.expiresAt, clock.now + Self.noticeLifetime), in: transaction)
  }

  /// Makes a code that invites as many addresses as it has uses. The code cannot be read again. Throws `.invalid`, `.notFound`.
  package func inviteByCode(
    uses: Int, days: Int, to invited: Invited = Invited(), by administrator: Administrator
  ) async throws -> (code: LinkCode, invitation: Invitation) {
    guard Self.invitationUses.contains(uses) else { throw Failure(.invalid, "uses: 1 to 100000") }
    let lifetime = try Self.lifetime(days)
    let inviter = try invited.inviterName()
    let code = LinkCode(ids)
    let invitation = try await database.write { [self] transaction in
      let invitation = try transaction.insertInvitation(
        codeHash: code.hash, uses: uses, to: try InvitedPlace(invited, inviter, in: transaction), now: clock.now,
        expiresAt: clock.now + lifetime)
      try audit(.invitationMade, invitation, by: .administrator(administrator), in: transaction)
      return invitation
    }
    return (code, invitation)
  }

  /// Invites an address by a code and takes one of its uses. An address that is invited already, to the same workspace, or has an account
  /// takes none, and an address that this code has invited may be named again. The code of an address's own link invites no other address.
  /// Throws `.invalid` if the address is malformed, `.notFound` if the code is unknown, revoked, expired or used up.
  package func accept(code: String, email: String, from address: String) async throws {
    let hash = LinkCode.hash(code)
    try await requireCode(code)
    let email = try TextRules.email(email)
    let key = TextRules.emailKey(email)
    try await database.write { [self] transaction in
      let now = clock.now
      guard let known = try transaction.invitation(hash: hash, now: now) else { throw Self.unknownCode }
      if let invited = known.email {
        guard TextRules.emailKey(invited) == key else { throw Self.unknownCode }
        return
      }
      if try transaction.hasInvited(key, by: known.id) { return }
      // The holder of a used up code learns nothing about other addresses.
      guard known.usesLeft > 0 else { throw Self.unknownCode }
      // The answer is the same in all cases, so that it does not reveal who has an account.
      guard try !transaction.emailExists(key), try !transaction.hasInvitation(of: key, to: known.workspace, now: now)
      else { return }
      guard let code = try transaction.useCode(hash: hash, now: now) else { throw Self.unknownCode }
      let invitation = try transaction.insertInvitation(
        of: email, key: key, code: code.id, to: InvitedPlace(workspace: code.workspace, inviter: code.inviter),
        now: now, expiresAt: code.expiresAt)
      let origin = Origin(edition: "", address: address)
      try audit(.invitationAccepted, invitation, by: .unknownClient, from: origin, in: transaction)
    }
  }

  /// The invitation of a code, as its holder may see it. Throws `.notFound` unless it has a use left.
  package func openInvitation(code: String) async throws -> OpenInvitation {
    let found = try await read(code: code) { [self] transaction, invitation in
      let place: OpenInvitation.Place? = try invitation.workspace.map { workspace in
        if invitation.workspaceName == nil { return .gone }
        return try isFull(workspace, in: transaction) ? .full : .free
      }
      return OpenInvitation(invitation: invitation, place: place)
    }
    guard found.invitation.usesLeft > 0 else { throw Self.unknownCode }
    return found
  }

  /// Throws `.notFound` unless the code is neither revoked nor expired. It may be used up.
  package func requireCode(_ code: String) async throws { try await read(code: code) { _, _ in } }

  private func read<Result: Sendable>(
    code: String, _ body: @escaping @Sendable (Transaction, Invitation) throws -> Result
  ) async throws -> Result {
    guard LinkCode.hasForm(code),
      let result = try await database.read({ [now = clock.now] transaction in
        try transaction.invitation(hash: LinkCode.hash(code), now: now).map { try body(transaction, $0) }
      })
    else { throw Self.unknownCode }
    return result
  }

  private static var unknownCode: Failure {
    Failure(.notFound, "the invitation is unknown, revoked, expired or used up")
  }

  /// One page of invitations, ordered by number. Open ones are looked for one by one (see ``SearchPage``).
  /// - Parameter isOpen: Whether only invitations are listed that can admit a person now.
  package func invitations(isOpen: Bool = false, after last: Int64?, limit: Int) async throws -> SearchPage<Invitation>
  {
    guard isOpen else {
      return try await database.read { transaction in
        SearchPage(
          try transaction.invitations(after: last ?? 0, limit: limit + 1, now: 0).map { $0.invitation }, limit: limit,
          total: last == nil ? try transaction.count(of: "invitations") : nil, number: \.id)
      }
    }
    let page = try await search(
      after: last, limit: limit, number: { $0.invitation.id },
      read: { [now = clock.now] in try $0.invitations(after: $1 ?? 0, limit: $2, now: now) }, where: { $0.isOpen })
    return SearchPage(elements: page.elements.map { $0.invitation }, next: page.next, total: page.total)
  }

  /// Revokes an invitation, and the valid invitations of addresses that it has invited. Throws `.notFound`.
  package func revokeInvitation(_ id: Int64, by administrator: Administrator) async throws -> Invitation {
    try await database.write { [self] transaction in
      guard let revoked = try transaction.revokeInvitation(id, now: clock.now) else {
        throw Failure(
          .notFound, "invitation \(id) does not exist or was revoked; see 'madang admin invite list'")
      }
      try audit(.invitationRevoked, revoked, by: .administrator(administrator), in: transaction)
      return revoked
    }
  }

  /// How long expired invitations are listed, in milliseconds.
  private static let expiredInvitationLifetime: Int64 = 90 * 24 * 3_600_000

  /// Deletes invitations that expired long ago, one page at a time.
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
    isMailed: Bool = false, in transaction: Transaction
  ) throws {
    var detail = ["invitation": "\(invitation.id)", "uses": "\(invitation.usesLeft)"]
    detail["code"] = invitation.code.map { "\($0)" }
    detail["workspace"] = invitation.workspaceName
    detail["inviter"] = invitation.inviter
    if isMailed { detail["by"] = "mail" }
    try audit(
      AuditEntry(
        kind: kind, actor: actor, subject: invitation.email ?? "code \(invitation.id)",
        origin: origin ?? Origin(edition: "", address: ""), detail: AuditDetail(detail)), in: transaction)
  }
}
