import Foundation
import MadangAPI
import SocketIOClient

extension Room {
  /// Sends text, up to five files, or both, in the order of the calls. Returns as soon as the chat is stored here; it
  /// is sent while the room runs and is live, over restarts of the program, once: see ``PendingChat`` for what becomes of it.
  /// - Parameters:
  ///   - content: The text, up to 10,000 characters; may be empty with files.
  ///   - files: Must stay where they are until the chat is acknowledged.
  /// - Throws: ``MadangError/outboxFull``, or ``MadangError/file(path:reason:)`` if it cannot be stored.
  @discardableResult
  public func send(_ content: String, files: [URL] = []) async throws -> PendingChat.ID {
    guard outbox.count < client.configuration.maxPendingChats else { throw MadangError.outboxFull }
    let row = OutboxRow(id: UUID(), content: content, files: files, newerThan: newest, wasTried: false)
    try await store.enqueue(row, in: address, owner: owner)
    outbox.append(Outgoing(row))
    changed()
    return row.id
  }

  /// Sends a failed chat again, after those that wait.
  public func retry(_ id: PendingChat.ID) {
    guard let index = index(id), outbox[index].chat.hasFailed else { return }
    var outgoing = outbox.remove(at: index)
    outgoing.chat.status = .waiting
    outgoing.failures = 0
    outbox.append(outgoing)
    changed()
  }

  /// Gives up a chat that is not acknowledged. One that is being sent may have reached the server.
  public func discard(_ id: PendingChat.ID) async throws {
    guard let index = index(id) else { return }
    if case .acknowledged = outbox[index].chat.status { return }
    if posting?.id == id { posting?.task.cancel() }
    outbox.remove(at: index)
    changed()
    try await store.removeFromOutbox(id)
  }

  /// Where a chat stands now; anything awaited may move it.
  private func index(_ id: UUID) -> Int? { outbox.firstIndex { $0.chat.id == id } }

  private func outgoing(_ id: UUID) -> Outgoing? { index(id).map { outbox[$0] } }
}

// MARK: - The sender

extension Room {
  /// Sends what waits, one after another, while the room is live.
  func keepSending() async {
    var changes = signals().makeAsyncIterator()
    while !Task.isCancelled {
      if state == .live, let next = outbox.first(where: { $0.chat.status == .waiting }) {
        await deliver(next.chat.id)
      } else if await changes.next(isolation: #isolation) == nil {
        return
      }
    }
  }

  private func deliver(_ id: UUID) async {
    do {
      if try await wasPosted(id) { return }
      guard state == .live, let queued = outgoing(id) else { return }
      let newerThan = queued.wasTried ? queued.newerThan : max(newest, lastAcknowledged)
      guard try await store.beginTrying(id, newerThan: newerThan, owner: owner), let index = index(id) else {
        // Given up, or taken over by another program.
        outbox.removeAll { $0.chat.id == id }
        return changed()
      }
      outbox[index].wasTried = true
      outbox[index].newerThan = newerThan
      outbox[index].chat.status = .sending(sent: 0, total: 0)
      let chat = outbox[index].chat
      changed()
      let task = Task { try await self.post(chat) }
      posting = (id, task)
      let result = await withTaskCancellationHandler {
        await task.result
      } onCancel: {
        task.cancel()
      }
      posting = nil
      try await answered(id, result)
    } catch {
      await failed(id, error)
    }
  }

  private func post(_ chat: PendingChat) async throws -> Chat {
    let uploads = try chat.files.map { try Upload(file: $0) }
    let progress: UploadProgress = { [weak self] sent, total in
      Task { await self?.progressed(chat.id, sent, total) }
    }
    return try await client.post(chat.content, files: uploads, to: address, progress: progress)
  }

  private func progressed(_ id: UUID, _ sent: Int, _ total: Int) {
    // Reports may overtake each other, and the answer.
    guard let index = index(id), case .sending(let known, _) = outbox[index].chat.status, known < sent else { return }
    outbox[index].chat.status = .sending(sent: sent, total: total)
    changed()
  }

  private func answered(_ id: UUID, _ result: Result<Chat, any Error>) async throws {
    let early = seenEarly
    seenEarly = nil
    switch result {
    case .success(let chat):
      try await acknowledged(id, chat)
    case .failure(let error):
      guard let early else { throw error }
      // What was seen was somebody else's only if the server says that it refused this one.
      guard let error = error as? MadangError, !error.mayHaveSucceeded else { return }
      outbox.insert(early, at: 0)
      throw error
    }
  }

  private func acknowledged(_ id: UUID, _ chat: Chat) async throws {
    if let index = index(id) {
      if chat.createdAt <= newest {
        outbox.remove(at: index)
      } else {
        outbox[index].chat.status = .acknowledged(chat)
      }
    }
    lastAcknowledged = max(lastAcknowledged, chat.createdAt)
    changed()
    try await store.removeFromOutbox(id)
  }

  private func failed(_ id: UUID, _ error: any Error) async {
    guard let index = index(id) else { return }
    outbox[index].failures += 1
    let outgoing = outbox[index]
    // Anything but the server's word, such as a cancellation, leaves open whether it was posted.
    let failure = error as? MadangError
    if failure?.mayHaveSucceeded ?? true {
      outbox[index].lostAt = .now
    } else {
      outbox[index].wasTried = false
    }
    let isPassing = failure?.isPassing ?? true
    outbox[index].chat.status = isPassing ? .waiting : failure.map { .failed($0) } ?? .waiting
    changed()
    if isPassing, outgoing.failures > 1 || failure?.mayHaveSucceeded == false {
      try? await Task.sleep(for: pause(outgoing))
    }
  }

  private func pause(_ outgoing: Outgoing) -> Duration {
    client.configuration.backoff.delay(after: outgoing.failures, chance: .random(in: 0...1))
  }

  /// Whether a chat whose answer was lost is in the room. Waits until the server has decided about it.
  private func wasPosted(_ id: UUID) async throws -> Bool {
    guard let queued = outgoing(id) else { return true }
    guard queued.wasTried else { return false }
    if let lostAt = queued.lostAt {
      try await Task.sleep(until: lostAt + client.configuration.settleTime, clock: .continuous)
    }
    let chats = try await client.history(of: address, after: queued.newerThan.isEmpty ? nil : queued.newerThan)
    // Meanwhile the socket may have brought it.
    guard let outgoing = outgoing(id) else { return true }
    guard let found = chats.first(where: { outgoing.mayBe($0, by: store.account) }) else { return false }
    try await acknowledged(id, found)
    return true
  }
}

// MARK: - Recognising

extension Room {
  /// Takes a chat that has come out of the outbox, if it is from there.
  /// - Returns: Its id there.
  func recognise(_ chat: Chat) -> UUID? {
    guard chat.sender.userID == store.account else { return nil }
    let index =
      outbox.firstIndex { $0.acknowledged?.id == chat.id }
      ?? outbox.firstIndex { $0.chat.isOnItsWay && $0.mayBe(chat, by: store.account) }
    guard let index else { return nil }
    let outgoing = outbox.remove(at: index)
    if posting?.id == outgoing.chat.id { seenEarly = outgoing }
    return outgoing.chat.id
  }
}

extension Outgoing {
  fileprivate var acknowledged: Chat? { if case .acknowledged(let chat) = chat.status { chat } else { nil } }
}
