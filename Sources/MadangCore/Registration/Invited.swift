import Storage

/// To what an administrator invites people, and in whose name.
package struct Invited: Sendable {
  /// The workspace that they join; nil for none.
  package var workspace: WorkspaceName?
  /// The name of the person who invites; nil for no name.
  package var inviter: String?

  package init(workspace: WorkspaceName? = nil, inviter: String? = nil) {
    (self.workspace, self.inviter) = (workspace, inviter)
  }

  /// Throws `.invalid`.
  func inviterName() throws -> String? {
    guard let inviter, inviter.contains(where: { !$0.isWhitespace }) else { return nil }
    return try TextRules.name(inviter, "from")
  }
}

/// The same, as an invitation stores it.
struct InvitedPlace {
  let workspace: Int64?
  let inviter: String?

  init(workspace: Int64?, inviter: String?) { (self.workspace, self.inviter) = (workspace, inviter) }

  /// Throws `.notFound` if there is no such workspace.
  init(_ invited: Invited, _ inviter: String?, in transaction: Transaction) throws {
    workspace = try invited.workspace.map { try transaction.workspace($0).id.number }
    self.inviter = inviter
  }
}

/// An invitation as the holder of its code sees it.
package struct OpenInvitation: Sendable {
  package enum Place: Sendable {
    case free
    /// The workspace has as many members as allowed.
    case full
    /// The workspace was deleted.
    case gone
  }

  package let invitation: Invitation
  /// Nil if the invitation leads to no workspace.
  package let place: Place?
}

extension Invitation {
  /// Who invites to what, such as "Hana invites you to “iOS” at Club"; without a full stop.
  package func sentence(_ face: Face, _ language: Language) -> String {
    let words = MailWords.of(language).invited
    let text =
      switch (inviter, workspaceName) {
      case (nil, nil): words.toServer
      case (nil, _?): words.toWorkspace
      case (_?, nil): words.toServerBy
      case (_?, _?): words.toWorkspaceBy
      }
    return text.filled([
      "name": face.name, "workspace": workspaceName?.onOneLine ?? "", "inviter": inviter?.onOneLine ?? "",
    ])
  }
}
