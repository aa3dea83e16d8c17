import Storage

extension Madang {
  /// Creates a channel. Any member of the workspace may, and becomes its owner and first member.
  /// Throws `.invalid`, `.notFound`, `.duplicate`, `.quotaReached`, in this order.
  package func createChannel(
    name: String, description: String?, cover: StagedFile?, in workspace: Reference, as principal: Principal
  ) async throws -> Channel {
    let name = try TextRules.channelName(name)
    let description = try TextRules.description(description ?? "")
    return try await keepingPictures(cover.map { [$0] } ?? [], in: .channelCoverImages, as: principal) {
      [self] transaction, caller, files in
      let now = clock.now
      let workspace = try transaction.lockedWorkspace(workspace, of: caller.id)
      for file in files { try insertPicture(file, of: caller.id, in: transaction) }
      let id = try transaction.insertChannel(
        NewChannel(
          uuid: ids.uuid(), workspace: workspace.id.number, name: name, description: description,
          cover: files.first?.path, owner: caller.id, isDefault: false), now: now)
      guard let id else { throw Failure(.duplicate, "name: a channel of this workspace has it") }
      try requireRoom(forChannelsOf: workspace.id.number, in: transaction)
      try transaction.joinChannel(id, user: caller.id, now: now)
      return try transaction.channel(.number(id), in: .number(workspace.id.number), of: caller.id)
    }
  }

  /// All channels of a workspace, newest first. Throws `.notFound`.
  package func channels(of workspace: Reference, as principal: Principal) async throws -> Listing<Channel> {
    try await read(as: principal) { [size = setting(\.listPage)] transaction, caller in
      try transaction.channels(of: try transaction.workspace(workspace, of: caller.id).id.number, size)
    }
  }

  /// The channels of a workspace that the caller joined, newest first. Throws `.notFound`.
  package func joinedChannels(of workspace: Reference, as principal: Principal) async throws -> Listing<Channel> {
    try await read(as: principal) { [size = setting(\.listPage)] transaction, caller in
      let workspace = try transaction.workspace(workspace, of: caller.id)
      return try transaction.channels(of: workspace.id.number, joinedBy: caller.id, size)
    }
  }

  /// A channel with its members. Any member of the workspace may ask, and does not join by asking. Throws `.notFound`.
  package func channelDetail(_ channel: Reference, in workspace: Reference, as principal: Principal) async throws
    -> ChannelDetail
  {
    try await read(as: principal) { [size = setting(\.listPage)] transaction, caller in
      let channel = try transaction.channel(channel, in: workspace, of: caller.id)
      return ChannelDetail(channel: channel, members: try transaction.members(ofChannel: channel.id.number, size))
    }
  }
}
