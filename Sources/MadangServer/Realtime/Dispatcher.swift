import Logging
import MadangCore
import MadangOperations
import ServiceLifecycle
import Storage
import Synchronization

/// Delivers to this server's sockets the changes in the database by any process: every chat of their rooms once and in
/// order, and the end of access.
///
/// The database is the log. Commits of this process are reported here directly and need no read; all others are found by
/// reading past the last delivery. So commits without a report, such as one whose answer was lost, are delivered with the
/// next read.
final class Dispatcher: ServiceLifecycle.Service {
  private let madang: Madang
  private let feeds = RoomFeeds()
  private let changes: Mutex<ChangeLog>
  /// The number of known database sessions, and whether everything must be compared with the database.
  private let sessions: Mutex<(opened: Int, isDoubtful: Bool)>
  private let act: @Sendable (Change, _ isLate: Bool) -> Void
  /// Deletions that take effect once earlier chats were delivered.
  private let deletions = Mutex<[(change: Change, isLate: Bool)]>([])
  private let recheck: @Sendable () -> Void
  private let deliver: @Sendable (Chat) -> Void
  private let channel: NotificationChannel?
  private let notices: CommitNotices?
  private let hear: @Sendable (CommitNotices.Notice) -> Void
  private let wakes = Wakes()
  /// Notices of changes received from other servers, and how many of them the last read of the changes covers. While they differ, chats wait
  /// for that read: one may have been posted after the membership of a connected account ended.
  private let changesTold = Atomic(0)
  private let changesRead = Atomic(0)

  /// How often changes are read. They take effect within a second.
  static let interval: Duration = .milliseconds(500)
  /// How many reads happen before a deletion takes effect although some room still lacks chats: posts elsewhere may never
  /// stop.
  private static let maxReads = 50
  /// How often all rooms are read.
  static let roomInterval: Duration = .seconds(5)

  /// - Parameters:
  ///   - latest: The changes that are old for this server's sockets. Read before the first socket is admitted.
  ///   - channel: Carries commit notices between servers of one database; nil for a single server.
  ///   - notices: Sends the commit notices.
  ///   - hear: Receives the other content of notices. Must return at once.
  ///   - act: Acts on a change: right after its commit, or late, when it was read. Must return at once.
  ///   - recheck: Starts a new check of all sockets, some at a time. Returns at once.
  ///   - deliver: Sends a chat to the sockets in its room. Must return at once.
  init(
    madang: Madang, after latest: [Int64], channel: NotificationChannel?, notices: CommitNotices?,
    hear: @escaping @Sendable (CommitNotices.Notice) -> Void, act: @escaping @Sendable (Change, _ isLate: Bool) -> Void,
    recheck: @escaping @Sendable () -> Void, deliver: @escaping @Sendable (Chat) -> Void
  ) {
    self.madang = madang
    changes = Mutex(ChangeLog(after: latest, now: madang.clock.steady))
    sessions = Mutex((madang.database.writersOpened, false))
    self.channel = channel
    self.notices = notices
    self.hear = hear
    self.act = act
    self.recheck = recheck
    self.deliver = deliver
  }

  /// Delivers the chats of a room up to this `seq`, if it has sockets. If they cannot be read now, that happens later.
  func catchUp(_ room: Int64, through seq: Int64) async {
    do {
      while let feed = feeds[room], case let position = feed.position, position.seq < seq {
        guard let news = try await madang.news(of: room, after: position) else { return }
        feed.read(news, deliver)
      }
    } catch {
      feeds[room]?.setBehind()
    }
  }

  /// A socket joined a room whose newest chat at its admission was `seq`: later chats are delivered.
  func joined(_ room: Int64, after seq: Int64) {
    // Commits meanwhile were not reported for this room.
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
      if !feed.tell(chat, deliver) { wakes.wake() }
    case .changed(let change, let number):
      notices?.add { $0.hasChanges = true }
      _ = changes.withLock { $0.isNew(number, now: madang.clock.steady) }
      // Even if it was read before: a change by this process must always take effect.
      heed(change, isLate: false)
    case .audited, .pushQueued, .mailQueued, .mailLeftOut: break
    }
  }

  /// Checks whether this chat may come from another database than earlier ones. A database that took over without the last
  /// commits may assign numbers of chats and changes again.
  private func checkDatabase() {
    let opened = madang.database.writersOpened
    let isOther = sessions.withLock { sessions in
      defer { sessions.opened = opened }
      return sessions.opened != opened
    }
    if isOther { doubt() }
  }

  private func doubt() {
    sessions.withLock { $0.isDoubtful = true }
    feeds.hold()
    wakes.wake()
  }

  func run() async throws {
    await withTaskGroup { group in
      group.addTask { [wakes] in await every(Self.interval, by: Clock(), atOnce: false) { wakes.wake() } }
      if let channel { group.addTask { [self] in await listen(to: channel) } }
      await look()
      group.cancelAll()
      await channel?.close()
    }
  }

  /// Reads where other servers report commits; reads everything after a time in which notices may have been lost.
  private func listen(to channel: NotificationChannel) async {
    for await event in channel.events {
      switch event {
      case .connected: doubt()
      case .notified(let payload):
        let notice = CommitNotices.notice(payload)
        hear(notice)
        if notice.hasChanges { changesTold.add(1, ordering: .relaxed) }
        var isNews = notice.hasChanges
        for chat in notice.chats { isNews = !tell(chat) || isNews }
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

  /// Delivers a chat from another server's notice to waiting sockets. False if the database has to be read.
  private func tell(_ sealed: SealedChat) -> Bool {
    guard let feed = feeds[sealed.room], feed.position.seq < sealed.seq, let chat = notices?.chat(sealed) else {
      return true
    }
    guard knowsChanges else {
      feed.setBehind()
      return false
    }
    return feed.tell(chat, deliver)
  }

  /// Whether all changes that other servers announced were read.
  private var knowsChanges: Bool { changesTold.load(ordering: .relaxed) == changesRead.load(ordering: .acquiring) }

  private func look() async {
    var (reviewed, isFailing) = (ContinuousClock.now, false)
    await wakes.run {
      if ContinuousClock.now - reviewed >= Self.roomInterval {
        reviewed = .now
        feeds.review()
      }
      do {
        try await lookOnce()
        if isFailing { madang.logger.notice("chats and changes can be read again") }
        isFailing = false
      } catch is CancellationError {
        // Not a failure: the work is about to end.
      } catch {
        if !isFailing {
          madang.logger.warning(
            "chats and changes cannot be read; sockets receive them later",
            metadata: ["error": "\(String(reflecting: error))"])
        }
        isFailing = true
      }
    }
  }

  /// Applies existing changes and restarts from them, if another database may have taken over. True if all sockets must be
  /// checked once the earlier chats were delivered.
  private func compare() async throws -> Bool {
    guard sessions.withLock({ $0.isDoubtful }) else { return false }
    sessions.withLock { $0.isDoubtful = false }
    do {
      while try await news(of: [:]).hasMoreChanges {}
      let latest = try await madang.latestChanges()
      changes.withLock { $0 = ChangeLog(after: latest, now: madang.clock.steady) }
      return true
    } catch {
      sessions.withLock { $0.isDoubtful = true }
      throw error
    }
  }

  /// Applies a change at once, because a disconnected client must not get later chats. A deleted room has no later chats
  /// but may have undelivered earlier ones, which are read first.
  private func heed(_ change: Change, isLate: Bool) {
    switch change {
    case .roomDeleted(let room, _): feeds[room]?.setBehind()
    case .workspaceDeleted: feeds.setBehind()
    case .membershipEnded, .membershipBegan, .sessionEnded, .sessionsEnded: return act(change, isLate)
    }
    deletions.withLock { $0.append((change, isLate)) }
    wakes.wake()
  }

  private func takeDeletions() -> [(change: Change, isLate: Bool)] {
    deletions.withLock { deletions in
      defer { deletions = [] }
      return deletions
    }
  }

  /// Reads new changes and chats, and applies the changes first.
  private func news(of rooms: [Int64: RoomPosition]) async throws -> News {
    let told = changesTold.load(ordering: .relaxed)
    let (highest, missing) = changes.withLock { ($0.highest, $0.missing) }
    let news = try await madang.news(of: rooms, changesAfter: highest, missing: missing)
    for change in changes.withLock({ $0.new(news.changes, now: madang.clock.steady) }) { heed(change, isLate: true) }
    if !news.hasMoreChanges { changesRead.store(told, ordering: .releasing) }
    return news
  }

  /// Reads new changes and chats, and delivers them.
  private func lookOnce() async throws {
    var due: [(change: Change, isLate: Bool)] = []
    var hasCompared = false
    defer { if hasCompared { recheck() } }
    do {
      hasCompared = try await compare()
      due = takeDeletions()
      var (rooms, reads) = (feeds.takeBehind(), 0)
      repeat {
        try await deliver(rooms)
        reads += 1
        // In this order: the rooms of a pending deletion are among those that lack chats.
        let further = takeDeletions()
        rooms = feeds.takeBehind()
        if rooms.isEmpty || reads == Self.maxReads {
          for (change, isLate) in due { act(change, isLate) }
          (due, reads) = ([], 0)
        }
        due += further
      } while !rooms.isEmpty || !due.isEmpty
    } catch {
      // Sockets in a deleted room are disconnected, even without its last chats.
      for (change, isLate) in due + takeDeletions() { act(change, isLate) }
      throw error
    }
  }

  /// Applies the existing changes, and delivers the next chats of these rooms.
  private func deliver(_ rooms: [Int64: RoomPosition]) async throws {
    do {
      var news = try await news(of: rooms)
      while news.hasMoreChanges { news = try await self.news(of: rooms) }
      for room in news.rooms { feeds[room.room]?.read(room, deliver) }
    } catch {
      for room in rooms.keys { feeds[room]?.setBehind() }
      throw error
    }
  }
}
