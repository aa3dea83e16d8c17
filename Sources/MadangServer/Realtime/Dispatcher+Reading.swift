import Logging
import MadangCore
import MadangOperations
import Storage
import Synchronization

extension Dispatcher {
  /// Reads after each wake, until the server stops.
  func readRepeatedly() async {
    var (reviewed, isFailing) = (ContinuousClock.now, false)
    await wakes.run {
      if ContinuousClock.now - reviewed >= Self.roomInterval {
        reviewed = .now
        feeds.review()
      }
      do {
        try await readOnce()
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

  /// If another database may have taken over: acts on its changes, then counts them from the beginning. True if so: all sockets must
  /// then be checked, after the chats before were delivered.
  private func compareWithDatabase() async throws -> Bool {
    guard writers.withLock({ $0.mayBeOther }) else { return false }
    writers.withLock { $0.mayBeOther = false }
    do {
      while try await news(of: [:]).hasMoreChanges {}
      let latest = try await madang.latestChanges()
      changes.withLock { $0 = ChangeLog(after: latest, now: madang.clock.steady) }
      return true
    } catch {
      writers.withLock { $0.mayBeOther = true }
      throw error
    }
  }

  private func takeDeletions() -> [(change: Change, isLate: Bool)] {
    deletions.withLock { deletions in
      defer { deletions = [] }
      return deletions
    }
  }

  /// Reads new chats and changes, and acts on the changes.
  private func news(of rooms: [Int64: RoomPosition]) async throws -> News {
    let told = changesAnnounced.load(ordering: .relaxed)
    let (highest, missing) = changes.withLock { ($0.highest, $0.missing) }
    let news = try await madang.news(of: rooms, changesAfter: highest, missing: missing)
    for change in changes.withLock({ $0.new(news.changes, now: madang.clock.steady) }) { apply(change, isLate: true) }
    if !news.hasMoreChanges { changesRead.store(told, ordering: .releasing) }
    return news
  }

  /// Reads and delivers what is new.
  private func readOnce() async throws {
    var due: [(change: Change, isLate: Bool)] = []
    var hasCompared = false
    defer { if hasCompared { recheck() } }
    do {
      hasCompared = try await compareWithDatabase()
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
      // Sockets in a deleted room are disconnected, though without its last chats.
      for (change, isLate) in due + takeDeletions() { act(change, isLate) }
      throw error
    }
  }

  /// Acts on all new changes, and delivers the next chats of these rooms.
  private func deliver(_ rooms: [Int64: RoomPosition]) async throws {
    do {
      var news = try await news(of: rooms)
      while news.hasMoreChanges { news = try await self.news(of: rooms) }
      for room in news.rooms { feeds[room.room]?.receive(room, deliver) }
    } catch {
      for room in rooms.keys { feeds[room]?.setBehind() }
      throw error
    }
  }
}
