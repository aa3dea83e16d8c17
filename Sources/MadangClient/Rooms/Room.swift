import Foundation
import SocketIOClient

/// A conversation: first the local history, then missed chats, then live chats, together with this account's outgoing chats.
///
/// ```swift
/// let room = try await Room(.channel(id: id, workspace: workspace), client: client, store: store)
/// async let running: Void = room.run()
/// for try await update in room.updates { ... }
/// ```
/// Chats reach ``updates`` through the local store, so a reader may be slow, or stop and start again, without gaps and without growing
/// memory. When the app goes to the background, cancel the task of ``run()``; when it returns, call ``run()`` again.
public actor Room {
  public nonisolated let address: RoomAddress
  nonisolated let client: MadangClient
  nonisolated let store: LocalStore
  /// Marks this object's outgoing chats in the store.
  nonisolated let owner = UUID()
  private let lock: OutboxLock

  private(set) var state = RoomState.stopped
  /// The date of the newest chat stored.
  private(set) var newest: String
  /// Whether the room's history has once been completely read.
  private(set) var isWhole: Bool
  /// Whether the missed chats have turned out to be more than a page, over the current connection.
  private(set) var isLong = false
  /// The date of the room's end: when it was determined over the current connection, no chat was newer.
  var end: String?
  /// The last page of the history, while earlier chats are still being read for the first time.
  var lastPage: [Chat] = []
  var outbox: [Outgoing] = []
  var posting: (id: UUID, task: Task<Chat, any Error>)?
  /// The date of the newest chat that this object posted.
  var lastAcknowledged = ""
  private var failures = 0
  var version = 0
  private var isRunning = false
  var watchers: [UUID: AsyncStream<Void>.Continuation] = [:]

  /// Opens a room with its stored chats. Takes over outgoing chats that an earlier run of the program left.
  /// - Throws: ``MadangError/file(path:reason:)`` if the store cannot be read; `CancellationError`.
  public init(_ address: RoomAddress, client: MadangClient, store: LocalStore) async throws {
    self.address = address
    self.client = client
    self.store = store
    lock = try OutboxLock(store.folder.appending(path: LocalStore.fileName(address.id)))
    newest = try await store.newest(in: address)
    isWhole = try await store.isWhole(address)
    try await takeOver()
  }

  /// Takes over outgoing chats that were left, unless another object may be sending them: an earlier object for this room that is not freed
  /// yet, or one of another program.
  private func takeOver() async throws {
    try await lock.ifAlone {
      let rows = try await store.adopt(from: address, by: owner)
      guard !rows.isEmpty else { return }
      // Chats that another object had taken over from here come back unchanged. They are older than the chats sent here meanwhile.
      let left = Set(rows.map(\.id))
      outbox.removeAll { left.contains($0.chat.id) }
      outbox.insert(contentsOf: rows.map { Outgoing($0) }, at: 0)
      changed()
    }
  }

  /// The updates of the room, starting with the last page of the local history.
  public nonisolated var updates: RoomUpdates { RoomUpdates(room: self) }
}

// MARK: - Running

extension Room {
  /// Keeps the room live and sends outgoing chats, until the task is cancelled. It recovers from lost connections, server restarts and
  /// expired tokens. A second call waits until the first has ended.
  ///
  /// The first time, the room's whole history is read, which joins a channel. The last page is shown as soon as it arrives, before the rest
  /// of a long history; from then on chats are sent, too.
  /// - Throws: Errors that running again does not cure: ``MadangError/notAllowed(namespace:message:)``, ``MadangError/signedOut``,
  ///   ``MadangError/refused(_:status:reason:)``, or ``MadangError/file(path:reason:)`` if the store cannot be written.
  public func run() async throws {
    var changes = signals().makeAsyncIterator()
    while isRunning { guard await changes.next(isolation: #isolation) != nil else { return } }
    isRunning = true
    failures = 0
    enter(.connecting)
    defer {
      isRunning = false
      enter(.stopped)
    }
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await self.keepLive() }
        group.addTask { await self.keepSending() }
        defer { group.cancelAll() }
        try await group.next()
      }
    } catch is CancellationError {
      return
    }
  }

  private func keepLive() async throws {
    while !Task.isCancelled {
      do {
        return try await follow()
      } catch let error as MadangError where error.isPassing {
        enter(.interrupted(reason: error.meaning))
        failures += 1
        try await Task.sleep(for: client.configuration.backoff.delay(after: failures, chance: .random(in: 0...1)))
      }
    }
  }

  private func follow() async throws {
    try await takeOver()
    async let _ = keepFindingEnd()
    let cursor = newest.isEmpty ? RoomAddress.beginning : newest
    var events = client.watch([address], after: [address: cursor]).makeAsyncIterator()
    while let batch = try await events.nextBatch() {
      var chats: [Chat] = []
      for event in batch {
        switch event {
        case .chat(let chat):
          chats.append(chat)
        case .live:
          try await takeOver()
          try await take(chats)
          chats = []
          failures = 0
          try await becomeWhole()
          enter(.live)
        case .interrupted(let reason):
          try await take(chats)
          chats = []
          enter(.interrupted(reason: reason))
        }
      }
      try await take(chats)
    }
  }

  /// Stores chats that follow the newest one, and shows them, unless the history is still being read for the first time.
  private func take(_ chats: [Chat]) async throws {
    guard let last = chats.last else { return }
    try await store.add(chats, to: address)
    newest = last.createdAt
    if chats.count >= client.configuration.historyPage { isLong = true }
    let arrived = chats.compactMap(recognise)
    if isWhole || !arrived.isEmpty { changed() } else { signal() }
    for id in arrived { try await store.removeFromOutbox(id) }
  }

  private func becomeWhole() async throws {
    guard !isWhole else { return }
    try await store.markWhole(address)
    isWhole = true
    lastPage = []
    outbox.removeAll { $0.acknowledged.map(isOver) == true }
    changed()
  }

  private func enter(_ new: RoomState) {
    (isLong, end) = (false, nil)
    guard state != new else { return }
    state = new
    changed()
  }
}
