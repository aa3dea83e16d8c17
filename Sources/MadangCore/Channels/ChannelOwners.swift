import Storage

// Operations that only the owner of a channel may call, and leaving, which the owner may not.

extension Madang {
  /// Changes what is given: nil, and an empty name, leave a field unchanged; an empty description clears it.
  /// Throws `.invalid`, `.notFound`, `.notOwner`, then `.defaultChannel` for another name of the default channel, or
  /// `.duplicate`.
  package func editChannel(
    _ reference: Reference, in workspace: Reference, name: String?, description: String?, cover: StagedFile?,
    as principal: Principal
  ) async throws -> Channel {
    let name = try TextRules.newName(name, TextRules.channelName)
    let description = try description.map(TextRules.description)
    return try await keepingPictures(cover.map { [$0] } ?? [], in: .channelCoverImages, as: principal) {
      [self] transaction, caller, files in
      let now = clock.now
      let channel = try transaction.ownedChannel(reference, in: workspace, by: caller.id)
      guard !channel.isDefault || name == nil || name == channel.name else {
        throw Failure(.defaultChannel, "name: the default channel keeps its name")
      }
      if let file = files.first {
        try insertPicture(file, of: caller.id, in: transaction)
        try transaction.retire(channel.cover, due: now + settings.files.replacedPictureLifetime)
      }
      guard
        try transaction.updateChannel(channel, name: name, description: description, cover: files.first?.path)
      else { throw Failure(.duplicate, "name: a channel of this workspace has it") }
      return try transaction.channel(.number(channel.id.number), in: workspace, of: caller.id)
    }
  }

  /// Makes another member the owner of the channel; the former owner stays a member. Handing over to oneself changes nothing. Throws
  /// `.notFound` (also if the target is no member), `.notOwner`, `.defaultChannel`, in this order.
  package func handOverChannel(
    _ reference: Reference, in workspace: Reference, to owner: Reference, as principal: Principal
  ) async throws -> Channel {
    try await write(as: principal) { transaction, caller in
      let channel = try transaction.lockedChannel(reference, in: workspace, of: caller.id)
      let id = channel.id.number
      let owner = try transaction.member(owner, ofChannel: id)
      try channel.requireOwner(caller.id)
      guard !channel.isDefault else {
        throw Failure(.defaultChannel, "the default channel is the workspace owner's")
      }
      try transaction.setOwner(owner.id.number, ofChannel: id)
      return try transaction.channel(.number(id), in: workspace, of: caller.id)
    }
  }

  /// Deletes a channel with its chats and files. They are invisible at once, and removed afterwards.
  /// Throws `.notFound`, `.notOwner`, `.defaultChannel`, in this order.
  package func deleteChannel(_ reference: Reference, in workspace: Reference, as principal: Principal) async throws {
    try await write(as: principal) { [self] transaction, caller in
      let channel = try transaction.ownedChannel(reference, in: workspace, by: caller.id)
      guard !channel.isDefault else { throw Failure(.defaultChannel, "the default channel cannot be deleted") }
      let id = channel.id.number
      try transaction.retire(channel.cover, due: clock.now)
      try transaction.deleteChannel(id, now: clock.now)
      try note(.roomDeleted(id, workspace: channel.workspace), in: transaction)
    }
  }

  /// Leaves a channel, and returns the channels of the workspace that the caller is still in, newest first. Reading the channel's history
  /// joins it again. Throws `.notFound` (also if the caller is no member), `.defaultChannel`, `.mustHandOver` for its owner, in this order.
  package func leaveChannel(_ reference: Reference, in workspace: Reference, as principal: Principal) async throws
    -> Listing<Channel>
  {
    let (workspace, user) = try await write(as: principal) { transaction, caller in
      let channel = try transaction.lockedChannel(reference, in: workspace, of: caller.id)
      guard try transaction.isMember(caller.id, ofChannel: channel.id.number) else {
        throw Failure(.notFound, "the caller is not a member of the channel")
      }
      guard !channel.isDefault else { throw Failure(.defaultChannel, "the default channel cannot be left") }
      guard channel.owner.number != caller.id else { throw Failure(.mustHandOver, "the caller owns the channel") }
      try transaction.leaveChannel(channel.id.number, user: caller.id)
      return (channel.workspace, caller.id)
    }
    return try await database.read { [size = setting(\.listPage)] in
      try $0.channels(of: workspace, joinedBy: user, size)
    }
  }
}
