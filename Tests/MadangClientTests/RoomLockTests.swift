import Foundation
import Synchronization
import Testing

@testable import MadangClient

@Suite("Rooms and other programs", .timeLimit(.minutes(5)))
struct RoomLockTests {
  private let address = RoomAddress.channel(id: "c1", workspace: "w1")

  private func withStore(_ body: (LocalStore, MadangClient) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "lock-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let client = MadangClient(configuration: .init(server: "http://127.0.0.1:9", apiKey: "none"))
    let result: Result<Void, any Error>
    do {
      let store = try LocalStore(folder: folder, server: "http://x", account: "me")
      result = .success(try await body(store, client))
    } catch {
      result = .failure(error)
    }
    try await client.close()
    try result.get()
  }

  /// Holds the room's lock like a program that takes over its outbox.
  private func lock(_ store: LocalStore) throws -> Int32 {
    let file = store.folder.appending(path: LocalStore.fileName(address.id) + ".turn")
    let descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try #require(flock(descriptor, LOCK_EX) == 0)
    return descriptor
  }

  @Test("rooms that wait for another program's lock block no thread")
  func waitingRooms() async throws {
    try await withStore { store, client in
      let descriptor = try lock(store)
      // If the rooms block all shared threads, only a separate thread still runs.
      let wasRescued = Mutex(false)
      let (isOver, over) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      Thread.detachNewThread {
        if isOver.wait(timeout: .now() + 120) == .timedOut {
          wasRescued.withLock { $0 = true }
          flock(descriptor, LOCK_UN)
        }
        over.signal()
      }
      let (starts, start) = AsyncStream.makeStream(of: Void.self)
      let count = ProcessInfo.processInfo.activeProcessorCount * 2
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<count {
          group.addTask {
            start.yield()
            _ = try await Room(address, client: client, store: store)
          }
        }
        var begun = starts.makeAsyncIterator()
        for _ in 0..<count { await begun.next() }
        // More turns than the rooms need to reach the lock.
        for _ in 0..<100 { _ = try await store.newest(in: address) }
        // More tasks wait than there are threads, and this one still runs.
        flock(descriptor, LOCK_UN)
        try await group.waitForAll()
      }
      isOver.signal()
      await withCheckedContinuation { done in
        Thread.detachNewThread {
          over.wait()
          done.resume()
        }
      }
      let needed = wasRescued.withLock(\.self)
      #expect(!needed, "the rooms held every thread")
      close(descriptor)
    }
  }

  @Test("cancelling a room ends its wait for a lock that another program holds")
  func cancelledOpening() async throws {
    try await withStore { store, client in
      let descriptor = try lock(store)
      let opening = Task { try await Room(address, client: client, store: store) }
      opening.cancel()
      await #expect(throws: CancellationError.self) { try await opening.value }
      close(descriptor)
    }
  }

  @Test(
    "what a room object left to be sent is there for the next one once it is freed, also if that one was there before")
  func successor() async throws {
    try await withStore { store, client in
      var first: Room? = try await Room(address, client: client, store: store)
      weak let freed = first
      try await first?.send("left")
      let second = try await Room(address, client: client, store: store)
      try await second.send("later")
      #expect(await second.outbox.map(\.chat.content) == ["later"], "the first may be sending it")
      first = nil
      while freed != nil { await Task.yield() }
      var changes = await second.signals().makeAsyncIterator()
      // The server cannot be reached, so the room does not become live.
      let run = Task { try await second.run() }
      while await second.outbox.count < 2 { await changes.next() }
      #expect(await second.outbox.map(\.chat.content) == ["left", "later"])
      run.cancel()
      _ = await run.result
    }
  }

  @Test("two objects for one room never take over each other's chats, however often they ask")
  func bothThere() async throws {
    try await withStore { store, _ in
      let path = store.folder.appending(path: "room")
      let (first, second) = (try OutboxLock(path), try OutboxLock(path))
      try await first.ifAlone {}
      try await second.ifAlone {}
      try await withThrowingTaskGroup(of: Void.self) { group in
        for lock in [first, second] {
          group.addTask {
            for _ in 0..<100 { try await lock.ifAlone { Issue.record("it is not alone") } }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test("a chat sent by a cancelled task is stored nevertheless")
  func cancelledSend() async throws {
    try await withStore { store, client in
      let room = try await Room(address, client: client, store: store)
      let sending = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await room.send("said")
      }
      try await sending.value
      var updates = room.updates.makeAsyncIterator()
      let update = try #require(try await updates.next())
      #expect(update.pending.map(\.content) == ["said"])
    }
  }
}
