import Storage

extension Madang {
  /// Checks a chat as far as possible without the database. Throws `.invalid`.
  package func validate(_ draft: ChatDraft) throws {
    _ = try TextRules.content(draft.content, maxLength: setting(\.maxContentLength))
    let most = setting(\.files.perChat)
    guard draft.files.count <= most else { throw Failure(.invalid, "files: up to \(most) in a chat") }
    let taken = setting(\.files.types)
    for file in draft.files where !file.type.isImage && !taken.contains(file.type) {
      throw Failure(.invalid, "files: files of the type \(file.type.fileExtension) are not accepted here")
    }
    guard !draft.files.isEmpty || draft.content.contains(where: { !$0.isWhitespace }) else {
      throw Failure(.invalid, "content: a chat needs text or a file")
    }
  }

  /// Posts a chat. It is announced after the commit, in the order of the room.
  ///
  /// A channel accepts chats from its members, a direct message from its two people. Throws `.invalid`, `.notFound`, `.quotaReached`.
  ///
  /// - Parameter isWanted: Whether the client is still connected. If it disconnects during the upload, nothing is posted.
  package nonisolated(nonsending) func post(
    _ draft: ChatDraft, to address: RoomAddress, as principal: Principal,
    isWanted: @Sendable () async -> Bool = { true }
  ) async throws -> Chat {
    try validate(draft)
    let key = try await roomKeys.key(of: address.room) { try await database.read { try $0.roomNumber(address.room) } }
    guard !draft.files.isEmpty else { return try await insertPost(draft.content, [], to: address, key, as: principal) }
    // Checked before files are stored, so that a caller who may not post leaves no files behind.
    let uncounted = try await read(as: principal) { [self] transaction, caller in
      try transaction.requirePoster(caller.id, to: address)
      return try uncountedFiles(of: caller.id, in: address.workspace, transaction)
    }
    try await addUpFiles(of: uncounted)
    let folder: FileFolder = address.kind == .channel ? .channelChats : .dmChats
    return try await keeping(draft.files, in: folder, images: false, isWanted: isWanted, as: principal) { files in
      try await insertPost(draft.content, files, to: address, key, as: principal)
    }
  }

  /// The transaction of a post.
  private nonisolated(nonsending) func insertPost(
    _ content: String, _ files: [StoredFile], to address: RoomAddress, _ key: Int64?, as principal: Principal
  ) async throws -> Chat {
    try await pipelinedWrite(as: principal, key: key) { [self] transaction, caller in
      try count(files, of: caller.id, in: address.workspace, transaction)
      let place = try await transaction.takePlace(in: address, as: caller.id, now: clock.now)
      return try await insertChat(content, files, at: place, by: caller.person, transaction)
    }
  }

  /// Inserts a chat at its place in the room, queues push notifications, and announces it after the commit.
  nonisolated(nonsending) func insertChat(
    _ content: String, _ files: [StoredFile], at place: ChatPlace, by author: Person, _ transaction: Transaction
  ) async throws -> Chat {
    let id = try await transaction.insertChat(
      uuid: ids.uuid(), at: place, author: author.id.number, content: content, files: files.count)
    for (position, file) in files.enumerated() {
      let file = try transaction.insertFile(
        file, room: place.room.id.number, uploader: author.id.number, now: clock.now)
      try transaction.attach(file, to: id.number, at: position)
    }
    let isPushed = setting(\.pushesChats) ? try await transaction.addPush(of: id.number) : false
    let chat = Chat(
      id: id, room: place.room, seq: place.seq, author: author, content: content, files: files.map(\.shownPath),
      createdAt: place.createdAt)
    transaction.afterCommit { [announce] in
      announce(.chatPosted(chat))
      if isPushed { announce(.pushQueued) }
    }
    return chat
  }

  /// Opens a room's history after a date, oldest first. Reading a channel joins it before anything is read, with any date; in read-only
  /// mode it does not join. Throws `.notFound`.
  package nonisolated(nonsending) func history(
    of address: RoomAddress, after date: Int64?, as principal: Principal
  ) async throws -> History {
    let (after, size) = (date ?? .min, setting(\.historyPage))
    let (found, opened) = try await read(as: principal) { transaction, caller -> (Room, History.Page?) in
      let room = try transaction.room(address, readableBy: caller.id)
      let hasJoined = try room.kind == .dm || transaction.isMember(caller.id, ofChannel: room.id.number)
      return (room, hasJoined ? try transaction.chats(in: room, after: after, page: size) : nil)
    }
    var room = found
    if opened == nil {
      do {
        room = try await write(as: principal) { [now = clock.now] transaction, caller in
          // Checked again under the lock: the membership may have ended, or the name may belong to another channel now. The channel that is
          // joined must be the one that is read.
          _ = try transaction.lockedWorkspace(address.workspace, of: caller.id)
          let room = try transaction.room(address, readableBy: caller.id)
          try transaction.joinChannel(room.id.number, user: caller.id, now: now)
          return room
        }
      } catch let error as StorageError where error.code == .writesStopped {
        // In read-only mode the room is read without joining; the caller joins at the first read afterwards.
      }
    }
    return History(madang: self, room: room, after: after, opened: opened)
  }

  /// How many chats by others a room has after a date; 0 without a date. Does not join. Throws `.notFound`.
  package nonisolated(nonsending) func unread(
    in address: RoomAddress, after date: Int64?, as principal: Principal
  ) async throws -> Unread {
    try await read(as: principal) { transaction, caller in
      try transaction.unread(in: transaction.room(address, readableBy: caller.id), after: date, of: caller.id)
    }
  }

  /// The room with this id if the account may read it: a channel of one of its workspaces, or a direct message it is part of. Throws
  /// `.notFound`.
  package func room(_ kind: Room.Kind, _ reference: Reference, readableBy user: Int64) async throws -> Room {
    try await database.read { try $0.room(kind, reference, readableBy: user) }
  }

  /// The listeners that may no longer read their room.
  package func ended(_ listeners: Set<RoomListener>) async throws -> Set<RoomListener> {
    try await database.read { transaction in try listeners.filter { try !transaction.mayListen($0) } }
  }

  /// The room with this id, without any permission check. Throws `.notFound`.
  package func room(_ kind: Room.Kind, _ reference: Reference) async throws -> Room {
    try await database.read { try $0.room(kind, reference) }
  }
}

/// A subscription to a room, and what it relies on.
package struct RoomListener: Hashable, Sendable {
  package let room: Int64
  /// Nil if everyone may listen.
  package let user: Int64?
  /// Nil if the listener has shown no session.
  package let session: SessionID?

  package init(room: Int64, user: Int64?, session: SessionID?) {
    (self.room, self.user, self.session) = (room, user, session)
  }
}

extension Transaction {
  /// How many chats by others a room has after a date.
  func unread(in room: Room, after date: Int64?, of user: Int64) throws -> Unread {
    guard let date else { return Unread(room: room, count: 0) }
    let newer = room.lastSeq - (try lastSeq(in: room.id.number, notAfter: date))
    let own = try chats(by: user, in: room.id.number, after: date)
    return Unread(room: room, count: Int(newer - own))
  }

  /// Whether the room exists, the account may read it and the session is alive. Without a session, the account must be enabled and have
  /// some session. Without an account, only the room is checked.
  fileprivate func mayListen(_ listener: RoomListener) throws -> Bool {
    do {
      if let user = listener.user {
        try requireReader(user, ofRoom: listener.room)
      } else {
        try requireRoom(listener.room)
      }
      if let session = listener.session {
        try requireSession(session)
      } else if let user = listener.user {
        return try signedIn(among: [user]) == [user]
      }
      return true
    } catch is Failure {
      return false
    }
  }
}

/// A room's chats after a date, read page by page so that memory does not grow with the history.
package struct History: Sendable {
  /// Some chats, oldest first, and whether they are the last.
  typealias Page = (chats: [Chat], isLast: Bool)

  private let madang: Madang
  private let room: Room
  private var after: Int64
  /// The first page, if it was read when the history was opened.
  private var opened: Page?
  /// Whether the last page was read.
  package private(set) var isFinished = false

  init(madang: Madang, room: Room, after: Int64, opened: Page?) {
    self.madang = madang
    self.room = room
    self.after = after
    self.opened = opened
  }

  /// The next chats, oldest first; nil after the last.
  package mutating func next() async throws -> [Chat]? {
    guard !isFinished else { return nil }
    let page = if let opened { opened } else { try await readPage() }
    opened = nil
    isFinished = page.isLast
    after = page.chats.last?.createdAt ?? after
    return page.chats
  }

  private func readPage() async throws -> Page {
    let size = madang.setting(\.historyPage)
    return try await madang.database.read { [room, after] in try $0.chats(in: room, after: after, page: size) }
  }
}
