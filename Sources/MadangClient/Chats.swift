import MadangAPI

extension MadangClient {
  /// A room's chats, oldest first. Reading a channel joins it.
  /// - Parameters:
  ///   - room: The room, which one must be allowed to read.
  ///   - cursor: Only chats newer than this date, such as ``Chat/createdAt`` of the last one known; nil for all.
  public func history(of room: RoomAddress, after cursor: String? = nil) async throws -> [Chat] {
    let query = cursor.map { [(Field.cursorDate, $0)] } ?? []
    switch room {
    case .channel(let id, let workspace):
      let path = Edition2024_10.channelHistory.path(workspace, id)
      return try await answer(to: Call(Edition2024_10.channelHistory, path, query: query)).map(Chat.channel)
    case .directMessage(let id, let workspace):
      let path = Edition2024_10.directMessageHistory.path(workspace, id)
      return try await answer(to: Call(Edition2024_10.directMessageHistory, path, query: query))
        .map(Chat.directMessage)
    }
  }

  /// Posts text, up to five files, or both. E11: nothing to post, or a file the server does not take; E13: not a member.
  ///
  /// A call that fails as ``MadangError/unreachable(host:reason:)`` may have been posted; it is never repeated by itself.
  @discardableResult
  public func post(
    _ content: String, files: [Upload] = [], to room: RoomAddress, progress: UploadProgress? = nil
  ) async throws -> Chat {
    let body = RequestBody([(.content, content)], files: files.map { (.files, $0) }, progress: progress)
    switch room {
    case .channel(let id, let workspace):
      let path = Edition2024_10.postToChannel.path(workspace, id)
      return .channel(try await answer(to: Call(Edition2024_10.postToChannel, path, body: body)))
    case .directMessage(let id, let workspace):
      let path = Edition2024_10.postToDirectMessage.path(workspace, id)
      return .directMessage(try await answer(to: Call(Edition2024_10.postToDirectMessage, path, body: body)))
    }
  }

  /// How many chats of others are newer than `date`; the server keeps no read marks.
  public func unread(in room: RoomAddress, after date: String) async throws -> Unread {
    let query = [(Field.after, date)]
    switch room {
    case .channel(let id, let workspace):
      let path = Edition2024_10.channelUnread.path(workspace, id)
      return .channel(try await answer(to: Call(Edition2024_10.channelUnread, path, query: query)))
    case .directMessage(let id, let workspace):
      let path = Edition2024_10.directMessageUnread.path(workspace, id)
      return .directMessage(try await answer(to: Call(Edition2024_10.directMessageUnread, path, query: query)))
    }
  }
}
