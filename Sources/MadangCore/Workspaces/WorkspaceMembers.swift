import Storage

extension Madang {
  /// Leaves a workspace and all its channels, and returns the workspaces that the caller is still in, newest first. Direct messages stay
  /// with the other person. Throws `.notFound`, or `.mustHandOver` if the caller owns the workspace or one of its channels.
  package func leaveWorkspace(_ reference: Reference, as principal: Principal) async throws -> Listing<Workspace> {
    let user = try await write(as: principal) { [self] transaction, caller in
      let workspace = try transaction.lockedWorkspace(reference, of: caller.id)
      let id = workspace.id.number
      guard workspace.owner.number != caller.id, try !transaction.ownsChannel(caller.id, in: id) else {
        throw Failure(.mustHandOver, "the caller owns the workspace or a channel of it")
      }
      try transaction.removeWorkspaceMember(caller.id, workspace: id)
      try note(.membershipEnded(user: caller.id, workspace: id), in: transaction)
      return caller.id
    }
    return try await database.read { [size = setting(\.listPage)] in try $0.workspaces(of: user, size) }
  }

  /// A member of a workspace. Throws `.notFound`.
  package func member(_ user: Reference, ofWorkspace reference: Reference, as principal: Principal) async throws
    -> Person
  {
    try await read(as: principal) { transaction, caller in
      let workspace = try transaction.workspace(reference, of: caller.id)
      return try transaction.member(user, ofWorkspace: workspace.id.number)
    }
  }

  /// The workspace with the channels whose name, and the members whose nickname or e-mail address, contain the keyword, ignoring case.
  /// Throws `.invalid`, `.notFound`, in this order.
  package func search(_ keyword: String, in reference: Reference, as principal: Principal) async throws
    -> WorkspaceDetail
  {
    // Compared here and not in SQL, because the engines differ in the case of letters beyond ASCII.
    let keyword = try TextRules.keyword(keyword).lowercased()
    let matches = { @Sendable (text: String) in text.lowercased().contains(keyword) }
    let detail = try await workspaceDetail(reference, as: principal)
    return WorkspaceDetail(
      workspace: detail.workspace, channels: detail.channels.filter { matches($0.name) },
      members: detail.members.filter { matches($0.nickname) || matches($0.email) })
  }
}
