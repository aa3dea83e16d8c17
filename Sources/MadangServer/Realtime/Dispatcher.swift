import Logging
import MadangCore
import MadangOperations
import ServiceLifecycle
import Storage
import Synchronization

/// Delivers to this server's sockets what the database holds, whichever process wrote it: every chat of the rooms they are
/// in once and in order, and what was taken away from them.
///
/// The database is the log. What this process commits is told here directly and needs no reading; everything else is
/// found by reading past what was delivered last. So whatever is not told, such as a commit whose answer was lost, is
/// delivered with the next look.
final class Dispatcher: ServiceLifecycle.Service {
  private let madang: Madang
  private let feeds = RoomFeeds()
  private let changes: Mutex<ChangeLog>
  /// The sessions with the database that are known, by their count; and whether all is to be compared with it.
  private let sessions: Mutex<(opened: Int, isDoubtful: Bool)>
  private let act: @Sendable (Change, _ isLate: Bool) -> Void
  /// Deletions that are acted on once the chats before them were delivered.
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

  /// How often changes are looked for. They are acted on within a second.
  static let interval: Duration = .milliseconds(500)
  /// How often is read before a deletion is acted on, although some room still lacks chats: others may go on posting elsewhere.
  private static let maxReads = 50
  /// How often all rooms are asked for.
  static let roomInterval: Duration = .seconds(5)

  /// - Parameters:
  ///   - latest: The changes that no socket of this server needs to hear of. Read before it lets in the first one.
  ///   - channel: By which servers of one database tell each other what they have committed; nil for one server.
  ///   - notices: Tells them by it.
  ///   - hear: Takes what other servers tell besides what they have committed, at once.
  ///   - act: Acts on a change, at once: right after its commit, or late, when it was read.
  ///   - recheck: Has all sockets checked once more, some at a time. Returns at once.
  ///   - deliver: Hands a chat to the sockets in its room, at once.
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

  /// Delivers the chats of a room up to this `seq`, if it has sockets already. If they cannot be read now, they are later.
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

  /// A socket has joined a room whose newest chat was `seq` when it was let in: what follows is delivered.
  func joined(_ room: Int64, after seq: Int64) {
    // What was committed meanwhile was told to nobody.
    if feeds.join(room, after: seq) { wakes.wake() }
  }

  func left(_ room: Int64) { feeds.leave(room) }

  /// This process has committed something. Returns at once.
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
      // Even if it was read before: what this process has done must not go unheeded.
      heed(change, isLate: false)
    case .audited, .pushQueued, .mailQueued, .mailLeftOut: break
    }
  }

  /// Looks whether this chat may be of another database than those before it. Numbers of chats and changes may be given out
  /// again by one that took over without the last commits.
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

  /// Looks where other servers say that there is something; everywhere after a time in which they may not have been heard.
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

  /// Delivers a chat that another server has told, if somebody here waits for it. False if the database is to be asked.
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

  /// Whether the changes that other servers have told of were read.
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
        // Nothing is wrong: the work is about to end.
      } catch {
        if !isFailing {
          madang.logger.warning(
            "chats and changes cannot be read; sockets hear of them later",
            metadata: ["error": "\(String(reflecting: error))"])
        }
        isFailing = true
      }
    }
  }

  /// Acts on the changes that are there, then begins anew with them, if another database may have taken over. Answers whether:
  /// all sockets are to be checked then, once the chats before were delivered.
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

  /// Acts on a change at once: who was disconnected does not hear what was said afterwards. In a room that was deleted nothing was
  /// said afterwards, and what was said before may not have been delivered: that is read first.
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

  /// Reads what is new, and heeds its changes first.
  private func news(of rooms: [Int64: RoomPosition]) async throws -> News {
    let told = changesTold.load(ordering: .relaxed)
    let (highest, missing) = changes.withLock { ($0.highest, $0.missing) }
    let news = try await madang.news(of: rooms, changesAfter: highest, missing: missing)
    for change in changes.withLock({ $0.new(news.changes, now: madang.clock.steady) }) { heed(change, isLate: true) }
    if !news.hasMoreChanges { changesRead.store(told, ordering: .releasing) }
    return news
  }

  /// Reads what is new, and hands it on.
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
        // In this order: the rooms of a deletion that is taken are among those that lack chats.
        let further = takeDeletions()
        rooms = feeds.takeBehind()
        if rooms.isEmpty || reads == Self.maxReads {
          for (change, isLate) in due { act(change, isLate) }
          (due, reads) = ([], 0)
        }
        due += further
      } while !rooms.isEmpty || !due.isEmpty
    } catch {
      // Whoever is in a room that is gone is told so, though not of its last chats.
      for (change, isLate) in due + takeDeletions() { act(change, isLate) }
      throw error
    }
  }

  /// Heeds the changes that there are, and delivers the next chats of these rooms.
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
