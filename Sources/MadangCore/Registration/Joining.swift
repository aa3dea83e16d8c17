import Storage

extension Madang {
  /// Makes a new account a member of the workspaces that its invitations lead to: at once, or as soon as the account is confirmed and
  /// approved.
  func join(_ person: Person, by invitations: [Invitation], in transaction: Transaction) throws {
    let leading = invitations.filter { $0.workspace != nil }
    guard !leading.isEmpty else { return }
    guard try limit(of: person.id.number, in: transaction) == nil else {
      return try transaction.setJoiner(person.id.number, of: leading.map(\.id))
    }
    for invitation in leading { try join(person, by: invitation, in: transaction) }
  }

  /// Makes an account, unless it still waits, a member of the workspaces that it could not join before.
  func joinInvited(_ person: Person, in transaction: Transaction) throws {
    guard try limit(of: person.id.number, in: transaction) == nil else { return }
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
    var detail = ["invitation": "\(invitation.id)"]
    let kind: AuditKind
    if let workspace = try transaction.lockedLivingWorkspace(number) {
      detail["workspace"] = workspace.name
      guard try !transaction.isMember(user, ofWorkspace: number) else { return }
      if try isFull(number, in: transaction) {
        (kind, detail["because"]) = (.memberNotAdded, "the workspace has as many members as allowed")
      } else {
        try transaction.insertWorkspaceMember(user, workspace: number, now: now)
        try transaction.joinDefaultChannel(of: number, user: user, now: now)
        try note(.membershipBegan(user: user), in: transaction)
        kind = .memberAdded
      }
    } else {
      (kind, detail["because"]) = (.memberNotAdded, "the workspace was deleted")
    }
    try audit(
      AuditEntry(
        kind: kind, actor: .account(user), account: user, subject: person.email, detail: AuditDetail(detail)),
      in: transaction)
  }
}
