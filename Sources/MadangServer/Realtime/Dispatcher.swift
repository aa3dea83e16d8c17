import Logging
import MadangCore
import MadangOperations
import ServiceLifecycle
import Storage
import Synchronization

/// Delivers to this server's sockets what the database holds, whichever process wrote it: every chat of their rooms, once and in
/// order, and every loss of access.
///
/// The database is the log. Commits of this process arrive here directly and need no reading; all others are found by reading
/// past the last delivered chat. So a commit whose answer was lost is delivered with the next read.
///
/// This file has what arrives; `Dispatcher+Reading.swift` has what is read.
final class Dispatcher: ServiceLifecycle.Service {
  let madang: Madang
  let feeds = RoomFeeds()
  let changes: Mutex<ChangeLog>
  /// How many connections for writing the database has opened; and whether another database may have taken over.
  let writers: Mutex<(opened: Int, mayBeOther: Bool)>
  let act: @Sendable (Change, _ isLate: Bool) -> Void
  /// Deletions that wait until the chats before them are delivered.
  let deletions = Mutex<[(change: Change, isLate: Bool)]>([])
  let recheck: @Sendable () -> Void
  let deliver: @Sendable (Chat) -> Void
  private let channel: NotificationChannel?
  private let notices: CommitNotices?
  private let onNotice: @Sendable (CommitNotices.Notice) -> Void
  let wakes = Wakes()
  /// How many notices of changes other servers have sent, and how many the last read covers. While they differ, chats wait for that
  /// read: one may have been posted after the membership of a connected account ended.
  let changesAnnounced = Atomic(0)
  let changesRead = Atomic(0)

  /// How often changes are read. They are acted on within a second.
  static let interval: Duration = .milliseconds(500)
  /// Most reads before a deletion is acted on although some rooms still lack chats: clients may go on posting elsewhere.
  static let maxReads = 50
  /// How often all rooms are read.
  static let roomInterval: Duration = .seconds(5)

  /// - Parameters:
  ///   - latest: The latest changes, read before the first socket joins. They do not concern any socket of this server.
  ///   - channel: By which servers of one database notify each other of commits; nil for a single server.
  ///   - notices: Notifies other servers.
  ///   - onNotice: Takes each notice of another server, at once, for what it has besides commits.
  ///   - act: Acts on a change, at once. It is late if it was read from the database.
  ///   - recheck: Starts to check all sockets again. Returns at once.
  ///   - deliver: Sends a chat to the sockets in its room, at once.
  init(
    madang: Madang, after latest: [Int64], channel: NotificationChannel?, notices: CommitNotices?,
    onNotice: @escaping @Sendable (CommitNotices.Notice) -> Void,
    act: @escaping @Sendable (Change, _ isLate: Bool) -> Void,
    recheck: @escaping @Sendable () -> Void, deliver: @escaping @Sendable (Chat) -> Void
  ) {
    self.madang = madang
    changes = Mutex(ChangeLog(after: latest, now: madang.clock.steady))
    writers = Mutex((madang.database.writersOpened, false))
    self.channel = channel
    self.notices = notices
    self.onNotice = onNotice
    self.act = act
    self.recheck = recheck
    self.deliver = deliver
  }

  /// Delivers the chats of a room up to this `seq`, if it has sockets. If they cannot be read now, they are delivered later.
  func catchUp(_ room: Int64, through seq: Int64) async {
    do {
      while let feed = feeds[room], case let position = feed.position, position.seq < seq {
        guard let news = try await madang.news(of: room, after: position) else { return }
        feed.receive(news, deliver)
      }
    } catch {
      feeds[room]?.setBehind()
    }
  }

  /// A socket joined a room whose newest chat at its admission was `seq`: later chats are delivered.
  func joined(_ room: Int64, after seq: Int64) {
    // Chats that were committed meanwhile were not delivered.
    if feeds.join(room, after: seq) { wakes.wake() }
  }

  func left(_ room: Int64) { feeds.leave(room) }

  /// This process has committed a change. Returns at once.
  func committed(_ event: MadangCore.Event) {
    switch event {
    case .chatPosted(let chat):
      notices?.add(chat)
      checkDatabase()
      guard let feed = feeds[chat.room.id.number] else { return }
      guard knowsChanges else {
        feed.setBehind()
        return wakes.wake()
      }
      if !feed.receive(chat, deliver) { wakes.wake() }
    case .changed(let change, let number):
      notices?.add { $0.hasChanges = true }
      _ = changes.withLock { $0.isNew(number, now: madang.clock.steady) }
      // Changes of this process are applied even if they were already read.
      apply(change, isLate: false)
    case .audited, .pushQueued, .mailQueued, .mailLeftOut: break
    }
  }

  /// Checks whether another database may have taken over since the previous chat. If it lacks the last commits, it may reuse their numbers
  /// for other chats and changes.
  private func checkDatabase() {
    let opened = madang.database.writersOpened
    let isOther = writers.withLock { writers in
      defer { writers.opened = opened }
      return writers.opened != opened
    }
    if isOther { suspectOtherDatabase() }
  }

  private func suspectOtherDatabase() {
    writers.withLock { $0.mayBeOther = true }
    feeds.hold()
    wakes.wake()
  }

  func run() async throws {
    await withTaskGroup { group in
      group.addTask { [wakes] in await every(Self.interval, by: Clock(), atOnce: false) { wakes.wake() } }
      if let channel { group.addTask { [self] in await listen(to: channel) } }
      await readRepeatedly()
      group.cancelAll()
      await channel?.close()
    }
  }

  /// Marks rooms as behind when other servers announce commits. After each connect it marks all rooms, because notices may have been lost.
  private func listen(to channel: NotificationChannel) async {
    for await event in channel.events {
      switch event {
      case .connected: suspectOtherDatabase()
      case .notified(let payload):
        let notice = CommitNotices.notice(payload)
        onNotice(notice)
        if notice.hasChanges { changesAnnounced.add(1, ordering: .relaxed) }
        var isNews = notice.hasChanges
        for chat in notice.chats { isNews = !receive(chat) || isNews }
        for (room, seq) in notice.rooms {
          guard let feed = feeds[room], feed.position.seq < seq else { continue }
          feed.setBehind()
          isNews = true
        }
        guard isNews else { continue }
      }
      wakes.wake()
    }
  }

  /// Delivers a chat from another server's notice, if its room has sockets here. False if the database must be read.
  private func receive(_ sealed: SealedChat) -> Bool {
    guard let feed = feeds[sealed.room], feed.position.seq < sealed.seq, let chat = notices?.chat(sealed) else {
      return true
    }
    guard knowsChanges else {
      feed.setBehind()
      return false
    }
    return feed.receive(chat, deliver)
  }

  /// Whether all changes that other servers have announced were read.
  private var knowsChanges: Bool { changesAnnounced.load(ordering: .relaxed) == changesRead.load(ordering: .acquiring) }

  /// Acts on a change at once, so that a disconnected client receives no later chat. A deleted room has no later chats, but its last ones
  /// may not have been delivered: they are read first.
  func apply(_ change: Change, isLate: Bool) {
    switch change {
    case .roomDeleted(let room, _): feeds[room]?.setBehind()
    case .workspaceDeleted: feeds.setBehind()
    case .membershipEnded, .membershipBegan, .sessionEnded, .sessionsEnded: return act(change, isLate)
    }
    deletions.withLock { $0.append((change, isLate)) }
    wakes.wake()
  }
}
