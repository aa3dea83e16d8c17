import Foundation
import Logging
import MadangAPI
import SocketIOClient

extension Room {
  /// Whether chats posted from now on can be told from those that were in the room before.
  private var maySend: Bool { state == .live || end != nil }

  /// Sends what waits, one after another, while the room is connected and its end is known.
  func keepSending() async {
    var changes = signals().makeAsyncIterator()
    while !Task.isCancelled {
      if maySend, let next = outbox.first(where: { $0.chat.status == .waiting }) {
        await deliver(next.chat.id)
      } else if await changes.next(isolation: #isolation) == nil {
        return
      }
    }
  }

  private func deliver(_ id: UUID) async {
    do {
      guard let chat = try await prepared(id) else { return }
      let task = Task { try await self.post(chat) }
      posting = (id, task)
      let result = await withTaskCancellationHandler {
        await task.result
      } onCancel: {
        task.cancel()
      }
      posting = nil
      await answered(id, result)
    } catch {
      // It could not be looked for, or not be marked as tried: what is known of earlier attempts stays.
      await failed(id, error, atOnce: false)
    }
  }

  /// Makes sure that a chat may be posted.
  /// - Returns: nil if it need not be any more.
  private func prepared(_ id: UUID) async throws -> PendingChat? {
    if try await wasPosted(id) { return nil }
    guard maySend, let queued = waiting(id) else { return nil }
    let newerThan = queued.wasTried ? queued.newerThan : max(newest, end ?? "", lastAcknowledged)
    guard try await store.beginTrying(id, newerThan: newerThan, owner: owner), waiting(id) != nil, let index = index(id)
    else {
      // Given up, taken over by another program, or seen in the room.
      outbox.removeAll { $0.chat.id == id && $0.acknowledged == nil }
      changed()
      return nil
    }
    outbox[index].wasTried = true
    outbox[index].newerThan = newerThan
    outbox[index].chat.status = .sending(sent: 0, total: 0)
    changed()
    return outbox[index].chat
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

  private func answered(_ id: UUID, _ result: Result<Chat, any Error>) async {
    switch result {
    case .success(let chat): await acknowledged(id, chat)
    case .failure(let error): await unposted(id, error)
    }
  }

  private func acknowledged(_ id: UUID, _ chat: Chat) async {
    if let index = index(id) {
      if isOver(chat) {
        outbox.remove(at: index)
      } else {
        outbox[index].seen = nil
        outbox[index].chat.status = .acknowledged(chat)
      }
    }
    lastAcknowledged = max(lastAcknowledged, chat.createdAt)
    changed()
    do {
      try await store.removeFromOutbox(id)
    } catch {
      // It is posted all the same. The next run of the program finds it in the room.
      client.logger.error("a chat stays in the outbox", metadata: ["reason": "\(error)"])
    }
  }

  /// The post failed, or nobody waits for its answer any more.
  private func unposted(_ id: UUID, _ error: any Error) async {
    guard let index = index(id) else { return }
    // Anything but the server's word, such as a cancellation, leaves open whether it was posted.
    let failure = error as? MadangError
    let isInDoubt = failure?.mayHaveSucceeded ?? true
    if isInDoubt, let seen = outbox[index].seen { return await acknowledged(id, seen) }
    outbox[index].seen = nil
    if isInDoubt { outbox[index].lostAt = .now } else { outbox[index].wasTried = false }
    // A doubt is looked into first, which takes its time.
    await failed(id, error, atOnce: isInDoubt)
  }

  /// Has a chat wait for its next attempt, or for somebody to decide. To be stopped is no failure.
  /// - Parameter atOnce: Whether the attempt after the first failure need not be put off.
  private func failed(_ id: UUID, _ error: any Error, atOnce: Bool) async {
    // It may have been seen in the room meanwhile.
    guard let index = index(id), outbox[index].acknowledged == nil else { return }
    let isFailure = !(error is CancellationError)
    if isFailure { outbox[index].failures += 1 }
    if let failure = error as? MadangError, !failure.isPassing {
      outbox[index].chat.status = .failed(failure)
      return changed()
    }
    outbox[index].chat.status = .waiting
    changed()
    let outgoing = outbox[index]
    if isFailure, outgoing.failures > 1 || !atOnce { try? await Task.sleep(for: pause(outgoing)) }
  }

  private func pause(_ outgoing: Outgoing) -> Duration {
    client.configuration.backoff.delay(after: outgoing.failures, chance: .random(in: 0...1))
  }

  /// Whether a chat whose answer was lost is in the room. Waits until the server has decided about it.
  private func wasPosted(_ id: UUID) async throws -> Bool {
    guard let queued = waiting(id) else { return true }
    guard queued.wasTried else { return false }
    if let lostAt = queued.lostAt {
      try await Task.sleep(until: lostAt + client.configuration.settleTime, clock: .continuous)
    }
    for try await page in client.historyPages(of: address, after: queued.newerThan.isEmpty ? nil : queued.newerThan) {
      // Meanwhile the socket may have brought it.
      guard let queued = waiting(id) else { return true }
      guard let found = page.first(where: { queued.mayBe($0, by: store.account) }) else { continue }
      await acknowledged(id, found)
      return true
    }
    return waiting(id) == nil
  }

  /// A chat that waits, unless it has been given up or seen in the room meanwhile.
  private func waiting(_ id: UUID) -> Outgoing? { outbox.first { $0.chat.id == id && $0.chat.status == .waiting } }
}
