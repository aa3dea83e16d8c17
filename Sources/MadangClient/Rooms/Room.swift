import Foundation
import SocketIOClient

/// A conversation: the local history at once, then what was missed, then live; and one's own chats on their way.
///
/// ```swift
/// let room = try await Room(.channel(id: id, workspace: workspace), client: client, store: store)
/// async let running: Void = room.run()
/// for try await update in room.updates { ... }
/// ```
/// Chats reach ``updates`` by way of the local store, so a reader may be slow, or stop and begin again, without a gap
/// and without memory that grows. Going to the background is cancelling the task of ``run()``; coming back is running it
/// again.
public actor Room {
  public nonisolated let address: RoomAddress
  nonisolated let client: MadangClient
  nonisolated let store: LocalStore
  /// Marks what this object has to send, in the store.
  nonisolated let owner = UUID()
  private let lock: OutboxLock

  private(set) var state = RoomState.stopped
  /// The date of the newest chat that updates may show.
  private(set) var newest: String
  var outbox: [Outgoing] = []
  var posting: (id: UUID, task: Task<Chat, any Error>)?
  /// What is being posted, when its chat was seen in the room before the post was answered.
  var seenEarly: Outgoing?
  /// The date of the newest chat that was posted from here.
  var lastAcknowledged = ""
  private var failures = 0
  private var version = 0
  private var isRunning = false
  private var watchers: [UUID: AsyncStream<Void>.Continuation] = [:]

  /// Opens a room with what is stored of it. What an earlier run of the program had still to send is taken over.
  /// - Throws: ``MadangError/file(path:reason:)`` if the store cannot be read.
  public init(_ address: RoomAddress, client: MadangClient, store: LocalStore) async throws {
    self.address = address
    self.client = client
    self.store = store
    lock = try OutboxLock(store.folder.appending(path: LocalStore.fileName(address.id) + ".lock"))
    newest = try await store.newest(in: address)
    if lock.wasAlone { outbox = try await store.adopt(from: address, by: owner).map { Outgoing($0) } }
    lock.share()
  }

  /// What happens in the room, from the last page of the local history on.
  public nonisolated var updates: RoomUpdates { RoomUpdates(room: self) }

  /// Chats of the local history before a date, oldest first; none at its beginning.
  /// - Parameters:
  ///   - date: The ``Chat/createdAt`` of the oldest chat shown.
  ///   - limit: How many at most; a page (``MadangClient/Configuration/roomPage``) by default.
  public nonisolated func chats(before date: String, limit: Int? = nil) async throws -> [Chat] {
    try await store.chats(in: address, before: date, limit: limit ?? client.configuration.roomPage)
  }
}

// MARK: - Running

extension Room {
  /// Keeps the room live and sends what is to be sent, until the task is cancelled. Lost connections, servers that
  /// restart and expired tokens are dealt with. A second call waits until the first has ended.
  ///
  /// The room's chats are read whole the first time, which joins a channel.
  /// - Throws: What running again will not cure by itself: ``MadangError/notAllowed(namespace:message:)``, ``MadangError/signedOut``,
  ///   ``MadangError/refused(_:status:)``, or ``MadangError/file(path:reason:)`` if the store cannot be written.
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
    let cursor = newest.isEmpty ? RoomAddress.beginning : newest
    var events = client.watch([address], after: [address: cursor]).makeAsyncIterator()
    while let batch = try await events.nextBatch() {
      var chats: [Chat] = []
      for event in batch {
        switch event {
        case .chat(let chat):
          chats.append(chat)
        case .live:
          try await take(chats)
          chats = []
          failures = 0
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

  /// How many chats are stored, and shown, at a time: a long history appears bit by bit.
  private static let batch = 1000

  /// Stores chats that follow the newest one and shows them.
  private func take(_ chats: [Chat]) async throws {
    for start in stride(from: 0, to: chats.count, by: Self.batch) {
      let part = Array(chats[start..<min(start + Self.batch, chats.count)])
      try await store.add(part, to: address)
      newest = part.last?.createdAt ?? newest
      let arrived = part.compactMap(recognise)
      changed()
      for id in arrived { try await store.removeFromOutbox(id) }
    }
  }
}

// MARK: - Telling

extension Room {
  /// How far an iterator has shown the room.
  struct Shown: Sendable {
    fileprivate var version: Int
    fileprivate var date: String
  }

  /// What an iterator has not shown yet, nil if there is nothing.
  func update(since shown: Shown?) async throws -> (RoomUpdate, Shown)? {
    if let shown, shown.version == version, shown.date >= newest { return nil }
    // All of one moment, whatever happens while the chats are read.
    let (version, newest, state, pending) = (version, newest, state, outbox.map(\.chat))
    let page = client.configuration.roomPage
    let chats =
      if let shown {
        try await store.chats(in: address, after: shown.date, upTo: newest, limit: page)
      } else {
        try await store.chats(in: address, upTo: newest, limit: page)
      }
    let isWhole = shown == nil || chats.count < page
    let date = isWhole ? newest : chats.last?.createdAt ?? newest
    return (RoomUpdate(chats: chats, pending: pending, state: state), Shown(version: version, date: date))
  }

  /// Comes once after one or more changes, for one reader.
  func signals() -> AsyncStream<Void> {
    let (signals, feed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = UUID()
    watchers[id] = feed
    feed.onTermination = { [weak self] _ in Task { await self?.forget(watcher: id) } }
    return signals
  }

  private func forget(watcher: UUID) { watchers[watcher] = nil }

  func changed() {
    version += 1
    for feed in watchers.values { feed.yield() }
  }

  private func enter(_ new: RoomState) {
    guard state != new else { return }
    state = new
    changed()
  }
}
