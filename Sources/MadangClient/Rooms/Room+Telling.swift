import Foundation

extension Room {
  /// The position up to which an iterator has shown the room.
  struct Shown: Sendable {
    fileprivate let version: Int
    /// The date of the newest chat shown; nil if there is no page to start with yet.
    fileprivate let date: String?
  }

  /// The changes that an iterator has not shown; nil if there are none.
  func update(since shown: Shown?) async throws -> (RoomUpdate, Shown)? {
    if let shown, shown.version == version, !hasMore(than: shown.date) { return nil }
    // All from one moment, because they may change while the chats are read.
    let (version, state, pending) = (version, state, outbox.filter { !isShown($0) }.map(\.chat))
    let (chats, date) = try await page(after: shown?.date)
    return (RoomUpdate(chats: chats, pending: pending, state: state), Shown(version: version, date: date))
  }

  /// Whether an outgoing chat is among the shown chats, or before them.
  private func isShown(_ outgoing: Outgoing) -> Bool {
    guard let chat = outgoing.seen ?? outgoing.acknowledged else { return false }
    return chat.createdAt <= shownUpTo
  }

  /// The date up to which the room can be shown.
  private var shownUpTo: String { isWhole ? newest : lastPage.last?.createdAt ?? "" }

  /// Whether a chat is shown and stored, so that it need not be recognised any longer.
  func isOver(_ chat: Chat) -> Bool { chat.createdAt <= min(newest, shownUpTo) }

  private func hasMore(than date: String?) -> Bool {
    guard let date else { return isWhole || !lastPage.isEmpty }
    return isWhole && date < newest
  }

  /// The next page after a date, or the last page without a date, and the date up to which the room is then shown.
  private func page(after date: String?) async throws -> (chats: [Chat], date: String?) {
    guard isWhole else { return date == nil ? (lastPage, lastPage.last?.createdAt) : ([], date) }
    let (newest, size) = (newest, client.configuration.roomPage)
    guard let date else { return (try await store.chats(in: address, upTo: newest, limit: size), newest) }
    let chats = try await store.chats(in: address, after: date, upTo: newest, limit: size)
    return (chats, chats.count < size ? max(date, newest) : chats.last?.createdAt ?? newest)
  }

  /// Chats of the room before a date, oldest first; empty at the beginning of the room. While the history is being read for the first time,
  /// waits until it is read up to the date.
  /// - Parameters:
  ///   - date: The ``Chat/createdAt`` of the oldest chat shown.
  ///   - limit: The most chats; by default a page (``MadangClient/Configuration/roomPage``).
  /// - Throws: ``MadangError/unreachable(host:reason:)`` if they have never been read and the room is not running,
  ///   ``MadangError/file(path:reason:)`` if the store cannot be read; `CancellationError`.
  public func chats(before date: String, limit: Int? = nil) async throws -> [Chat] {
    var changes = signals().makeAsyncIterator()
    while !isWhole, newest < date {
      guard state != .stopped else { throw client.http.unreachable("older chats have not been read yet") }
      guard await changes.next(isolation: #isolation) != nil else { throw CancellationError() }
    }
    return try await store.chats(in: address, before: date, limit: limit ?? client.configuration.roomPage)
  }
}

// MARK: - Signals

extension Room {
  /// Yields once after one or more changes, for one reader.
  func signals() -> AsyncStream<Void> {
    let (signals, feed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = UUID()
    watchers[id] = feed
    feed.onTermination = { [weak self] _ in Task { await self?.forget(watcher: id) } }
    return signals
  }

  private func forget(watcher: UUID) { watchers[watcher] = nil }

  /// Signals a change to show.
  func changed() {
    version += 1
    signal()
  }

  /// Signals a change to check.
  func signal() {
    for feed in watchers.values { feed.yield() }
  }
}
