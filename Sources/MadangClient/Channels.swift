import MadangAPI

extension MadangClient {
  /// All channels of a workspace, newest first.
  public func channels(in workspace: String) async throws -> [Edition2024_10.Channel] {
    try await answer(to: Call(Edition2024_10.channels, Edition2024_10.channels.path(workspace)))
  }

  /// The channels that the caller has joined, newest first.
  public func myChannels(in workspace: String) async throws -> [Edition2024_10.Channel] {
    try await answer(to: Call(Edition2024_10.myChannels, Edition2024_10.myChannels.path(workspace)))
  }

  /// Creates a channel. E12: the name is taken in this workspace.
  public func createChannel(
    name: String, description: String? = nil, picture: Upload? = nil, in workspace: String,
    progress: UploadProgress? = nil
  ) async throws -> Edition2024_10.Channel {
    try await answer(
      to: Call(
        Edition2024_10.createChannel, Edition2024_10.createChannel.path(workspace),
        body: RequestBody(
          [(.name, name), (.description, description)], file: (.image, picture), progress: progress)))
  }

  /// A channel with its members. Reading it does not join it.
  public func channel(_ id: String, in workspace: String) async throws -> Edition2024_10.ChannelDetail {
    try await answer(to: Call(Edition2024_10.channel, Edition2024_10.channel.path(workspace, id)))
  }

  /// The members of a channel in the order of joining.
  public func members(ofChannel channel: String, in workspace: String) async throws -> [Edition2024_10.Member] {
    try await answer(
      to: Call(Edition2024_10.channelMembers, Edition2024_10.channelMembers.path(workspace, channel)))
  }
}
