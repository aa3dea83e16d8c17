import MadangAPI

extension MadangClient {
  /// A room's chats, oldest first. Reading a channel's history joins the channel.
  /// - Parameters:
  ///   - room: A room that the caller may read.
  ///   - cursor: Returns only chats newer than this date, such as ``Chat/createdAt`` of the last known one; nil for all.
  public func history(of room: RoomAddress, after cursor: String? = nil) async throws -> [Chat] {
    switch room {
    case .channel(let id, let workspace):
      try await answer(to: Self.history(id, in: workspace, after: cursor)).map(Chat.channel)
    case .directMessage(let id, let workspace):
      try await answer(to: Self.directHistory(id, in: workspace, after: cursor)).map(Chat.directMessage)
    }
  }

  /// A room's chats as they stream in, in pages of ``Configuration/historyPage`` chats, so memory does not grow with the history.
  func historyPages(of room: RoomAddress, after cursor: String?) -> HistoryPages {
    HistoryPages(client: self, room: room, cursor: cursor)
  }

  /// The body of a room's history, a JSON array of its chats.
  func historyBody(of room: RoomAddress, after cursor: String?) async throws -> AnswerBody {
    try await authorised { token in
      switch room {
      case .channel(let id, let workspace):
        http.body(of: try await http.send(Self.history(id, in: workspace, after: cursor), token: token))
      case .directMessage(let id, let workspace):
        http.body(of: try await http.send(Self.directHistory(id, in: workspace, after: cursor), token: token))
      }
    }
  }

  private static func history(
    _ id: String, in workspace: String, after cursor: String?
  ) -> Call<[Edition2024_10.ChannelChat]> {
    Call(Edition2024_10.channelHistory, Edition2024_10.channelHistory.path(workspace, id), query: query(cursor))
  }

  private static func directHistory(
    _ id: String, in workspace: String, after cursor: String?
  ) -> Call<[Edition2024_10.DMChat]> {
    let endpoint = Edition2024_10.directMessageHistory
    return Call(endpoint, endpoint.path(workspace, id), query: query(cursor))
  }

  private static func query(_ cursor: String?) -> [(Field, String)] { cursor.map { [(.cursorDate, $0)] } ?? [] }

  /// Posts text, up to five files, or both. E11: the post is empty, or the server does not accept a file; E13: not a member.
  ///
  /// A call that fails with ``MadangError/unreachable(host:reason:)`` may have been posted; it is never repeated automatically.
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

  /// How many chats of others are newer than `date`. The server keeps no read marks.
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
