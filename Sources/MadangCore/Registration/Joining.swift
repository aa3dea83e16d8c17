import Storage

extension Madang {
  /// Makes a new account a member of the workspaces that its invitations lead to: at once, or as soon as the account is confirmed and
  /// approved. Another person may have guessed the address, so the sign-up must show the code of the invitation, or the address must be
  /// vouched for or confirmed.
  func join(
    _ person: Person, by invitations: [Invitation], isVouchedFor: Bool, from origin: Origin, in transaction: Transaction
  ) throws {
    let leading = invitations.filter { $0.workspace != nil }
    guard !leading.isEmpty else { return }
    let shown = try origin.invitation.map { code in
      try transaction.invitations(leading.map(\.id), shownBy: LinkCode.hash(code))
    }
    let limit = try limit(of: person.id.number, in: transaction)
    for invitation in leading {
      let isProven = isVouchedFor || shown?.contains(invitation.id) ?? false
      if limit == .confirmation || isProven && limit != nil {
        try transaction.setJoiner(person.id.number, of: [invitation.id])
      } else if isProven {
        try join(person, by: invitation, in: transaction)
      } else {
        try noteNotAdded(
          person, by: invitation, because: "the sign-up showed no code, and addresses are not confirmed",
          in: transaction)
      }
    }
  }

  /// Makes an account, unless it still waits, a member of the workspaces that it could not join before.
  func joinInvited(_ person: Person, in transaction: Transaction) throws {
    // Also where confirmation was switched off meanwhile, an unconfirmed address may be another person's.
    guard try limit(of: person.id.number, in: transaction) == nil,
      try !transaction.waiting(person.id.number).isUnconfirmed
    else { return }
    let invitations = try transaction.takeInvitations(joinedBy: person.id.number)
    // Workspaces are locked in one order, so that two accounts do not wait for each other.
    for invitation in invitations.sorted(by: { ($0.workspace ?? 0, $0.id) < ($1.workspace ?? 0, $1.id) }) {
      try join(person, by: invitation, in: transaction)
    }
  }

  /// A workspace that is gone or full does not prevent the account: its owner can add the person later.
  private func join(_ person: Person, by invitation: Invitation, in transaction: Transaction) throws {
    guard let number = invitation.workspace else { return }
    let (user, now) = (person.id.number, clock.now)
    guard let workspace = try transaction.lockedLivingWorkspace(number) else {
      return try noteNotAdded(person, by: invitation, because: "the workspace was deleted", in: transaction)
    }
    guard try !transaction.isMember(user, ofWorkspace: number) else { return }
    guard try !isFull(number, in: transaction) else {
      return try noteNotAdded(
        person, by: invitation, because: "the workspace has as many members as allowed", in: transaction)
    }
    try transaction.insertWorkspaceMember(user, workspace: number, now: now)
    try transaction.joinDefaultChannel(of: number, user: user, now: now)
    try note(.membershipBegan(user: user), in: transaction)
    try audit(
      AuditEntry(
        kind: .memberAdded, actor: .account(user), account: user, subject: person.email,
        detail: ["invitation": "\(invitation.id)", "workspace": workspace.name]), in: transaction)
  }

  private func noteNotAdded(
    _ person: Person, by invitation: Invitation, because reason: String, in transaction: Transaction
  ) throws {
    var detail = ["invitation": "\(invitation.id)", "because": reason]
    detail["workspace"] = invitation.workspaceName
    let user = person.id.number
    try audit(
      AuditEntry(
        kind: .memberNotAdded, actor: .account(user), account: user, subject: person.email,
        detail: AuditDetail(detail)), in: transaction)
  }
}
