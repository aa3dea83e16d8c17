import Storage

// Operations that only the owner of a workspace may call.

extension Madang {
  /// Changes the given fields: nil, and an empty name, leave a field unchanged; an empty description clears it. Throws `.invalid`,
  /// `.notFound`, `.notOwner`, `.duplicate`, in this order.
  package func editWorkspace(
    _ reference: Reference, name: String?, description: String?, cover: StagedFile?, as principal: Principal
  ) async throws -> Workspace {
    let name = try TextRules.newName(name) { try TextRules.name($0) }
    let description = try description.map(TextRules.description)
    return try await keepingPictures(cover.map { [$0] } ?? [], in: .workspaceCoverImages, as: principal) {
      [self] transaction, caller, files in
      let now = clock.now
      let workspace = try transaction.ownedWorkspace(reference, by: caller.id)
      if let file = files.first {
        try insertPicture(file, of: caller.id, in: transaction)
        try transaction.retire(workspace.cover, due: now + settings.files.replacedPictureLifetime)
      }
      let id = workspace.id.number
      guard
        try transaction.updateWorkspace(id, name: name, description: description, cover: files.first?.path)
      else { throw Failure(.duplicate, "name: a workspace has it") }
      return try transaction.workspace(.number(id), of: caller.id)
    }
  }

  /// Makes another member the owner of the workspace and of its default channel; the former owner stays a member. Handing over to oneself
  /// changes nothing. Throws `.notFound` (also if the target is no member), `.notOwner`, `.quotaReached`, in this order.
  package func handOverWorkspace(_ reference: Reference, to owner: Reference, as principal: Principal) async throws
    -> Workspace
  {
    try await write(as: principal) { [self] transaction, caller in
      let workspace = try transaction.lockedWorkspace(reference, of: caller.id)
      let id = workspace.id.number
      let owner = try transaction.member(owner, ofWorkspace: id)
      try workspace.requireOwner(caller.id)
      try transaction.setOwner(owner.id.number, ofWorkspace: id)
      if owner.id.number != caller.id { try requireRoom(forWorkspacesOf: owner.id.number, in: transaction) }
      return try transaction.workspace(.number(id), of: caller.id)
    }
  }

  /// Deletes a workspace with its channels, rooms, chats and files. They are invisible at once, and removed afterwards. Throws `.notFound`,
  /// `.notOwner`, in this order.
  package func deleteWorkspace(_ reference: Reference, as principal: Principal) async throws {
    try await write(as: principal) { [self] transaction, caller in
      try delete(try transaction.ownedWorkspace(reference, by: caller.id), in: transaction)
    }
  }

  /// Deletes a locked workspace.
  func delete(_ workspace: Workspace, in transaction: Transaction) throws {
    let id = workspace.id.number
    try transaction.retire(workspace.cover, due: clock.now)
    try transaction.deleteWorkspace(id, now: clock.now)
    try note(.workspaceDeleted(id), in: transaction)
  }
}
