import Storage

extension Madang {
  /// Makes a workspace that the caller owns, charges its price and makes the default channel, all or nothing. Throws `.invalid`,
  /// `.limited`, `.duplicate`, `.notEnoughCoins`, `.quotaReached`, in this order.
  package func createWorkspace(name: String, description: String?, cover: StagedFile?, as principal: Principal)
    async throws
    -> Workspace
  {
    let name = try TextRules.name(name)
    let description = try TextRules.description(description ?? "")
    return try await keepingPictures(cover.map { [$0] } ?? [], in: .workspaceCoverImages, as: principal) {
      [self] transaction, caller, files in
      let now = clock.now
      try requireUnlimited(caller.id, in: transaction)
      for file in files { try insertPicture(file, of: caller.id, in: transaction) }
      guard
        let id = try transaction.insertWorkspace(
          uuid: ids.uuid(), name: name, description: description, cover: files.first?.path, owner: caller.id, now: now)
      else { throw Failure(.duplicate, "name: a workspace has it") }
      try transaction.addCoins(-settings.coins.workspace, to: caller.id, for: "workspace", now: now)
      try requireRoom(forWorkspacesOf: caller.id, in: transaction)
      try transaction.insertWorkspaceMember(caller.id, workspace: id, now: now)
      let channel = try transaction.insertChannel(
        NewChannel(
          uuid: ids.uuid(), workspace: id, name: settings.workspaces.channelName,
          description: settings.workspaces.channelDescription, cover: nil, owner: caller.id, isDefault: true), now: now)
      guard let channel else { throw UnexpectedlyEmpty() }
      try transaction.joinChannel(channel, user: caller.id, now: now)
      try note(.membershipBegan(user: caller.id), in: transaction)
      return try transaction.workspace(.number(id), of: caller.id)
    }
  }

  /// The caller's workspaces, newest first.
  package func workspaces(of principal: Principal) async throws -> Listing<Workspace> {
    try await read(as: principal) { [size = setting(\.listPage)] in try $0.workspaces(of: $1.id, size) }
  }

  /// A workspace with all its channels, newest first, and members, oldest first. Throws `.notFound`.
  package func workspaceDetail(_ reference: Reference, as principal: Principal) async throws -> WorkspaceDetail {
    try await read(as: principal) { [size = setting(\.listPage)] transaction, caller in
      let workspace = try transaction.workspace(reference, of: caller.id)
      return WorkspaceDetail(
        workspace: workspace, channels: try transaction.channels(of: workspace.id.number, size),
        members: try transaction.members(ofWorkspace: workspace.id.number, size))
    }
  }

  /// Ordered by the time of joining, oldest first, with the caller. Throws `.notFound`.
  package func members(ofWorkspace reference: Reference, as principal: Principal) async throws -> Listing<Person> {
    try await read(as: principal) { [size = setting(\.listPage)] transaction, caller in
      try transaction.members(ofWorkspace: try transaction.workspace(reference, of: caller.id).id.number, size)
    }
  }

  /// Adds the account with this e-mail address to the workspace and its default channel at once. Only the owner may. An account that waits
  /// for confirmation or approval cannot be added yet. Throws `.invalid`, `.notFound`, `.notOwner`, `.noSuchInvitee`, `.duplicate`,
  /// `.quotaReached`, in this order.
  package func invite(email: String, to reference: Reference, as principal: Principal) async throws -> Person {
    let email = try TextRules.email(email)
    return try await write(as: principal) { [self, now = clock.now] transaction, caller in
      let workspace = try transaction.ownedWorkspace(reference, by: caller.id)
      return try add(email: email, to: workspace, now: now, in: transaction)
    }
  }

  /// Adds the account with this address to a locked workspace. Throws `.noSuchInvitee`, `.duplicate`, `.quotaReached`, in this order.
  func add(email: String, to workspace: Workspace, now: Int64, in transaction: Transaction) throws -> Person {
    guard let person = try transaction.lockedPersonByEmail(email),
      try limit(of: person.id.number, in: transaction) == nil
    else {
      throw Failure(.noSuchInvitee, "no account has this e-mail")
    }
    guard try transaction.insertWorkspaceMember(person.id.number, workspace: workspace.id.number, now: now) else {
      throw Failure(.duplicate, "\(person.email) is a member already")
    }
    try requireRoom(forMembersOf: workspace.id.number, in: transaction)
    try transaction.joinDefaultChannel(of: workspace.id.number, user: person.id.number, now: now)
    try note(.membershipBegan(user: person.id.number), in: transaction)
    return person
  }
}
