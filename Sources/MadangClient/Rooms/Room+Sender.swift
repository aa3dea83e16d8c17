import Foundation
import Logging
import MadangAPI
import SocketIOClient

extension Room {
  /// Whether newly posted chats can be distinguished from earlier ones.
  private var maySend: Bool { state == .live || end != nil }

  /// Sends waiting chats, one after another, while the room is connected and its end is known.
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
      // Looking for the chat, or marking it as tried, failed: what is known of earlier attempts stays valid.
      await failed(id, error, atOnce: false)
    }
  }

  /// Prepares a chat for posting.
  /// - Returns: Nil if it must not be posted any longer.
  private func prepared(_ id: UUID) async throws -> PendingChat? {
    if try await wasPosted(id) { return nil }
    guard maySend, let queued = waiting(id) else { return nil }
    let newerThan = queued.wasTried ? queued.newerThan : max(newest, end ?? "", lastAcknowledged)
    guard try await store.beginTrying(id, newerThan: newerThan, owner: owner), waiting(id) != nil, let index = index(id)
    else {
      // Discarded, taken over by another program, or seen in the room.
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
    // Reports may overtake each other and the answer.
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
      // The chat is posted nevertheless. The next run of the program finds it in the room.
      client.logger.error("a posted chat could not be removed from the outbox", metadata: ["reason": "\(error)"])
    }
  }

  /// The post failed, or the wait for its answer was cancelled.
  private func unposted(_ id: UUID, _ error: any Error) async {
    guard let index = index(id) else { return }
    // Without an answer of the server, for instance after a cancellation, it is unknown whether the chat was posted.
    let failure = error as? MadangError
    let isInDoubt = failure?.mayHaveSucceeded ?? true
    if isInDoubt, let seen = outbox[index].seen { return await acknowledged(id, seen) }
    outbox[index].seen = nil
    if isInDoubt { outbox[index].lostAt = .now } else { outbox[index].wasTried = false }
    // In doubt, the next step is to look in the room, which takes time by itself.
    await failed(id, error, atOnce: isInDoubt)
  }

  /// Makes a chat wait for its next attempt, or for a decision of the user. A cancellation is not a failure.
  /// - Parameter atOnce: Whether the attempt after the first failure needs no delay.
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

  /// Whether a chat whose answer was lost is in the room. First waits until the server has completed or dropped the request.
  private func wasPosted(_ id: UUID) async throws -> Bool {
    guard let queued = waiting(id) else { return true }
    guard queued.wasTried else { return false }
    if let lostAt = queued.lostAt {
      try await Task.sleep(until: lostAt + client.configuration.settleTime, clock: .continuous)
    }
    for try await page in client.historyPages(of: address, after: queued.newerThan.isEmpty ? nil : queued.newerThan) {
      // The socket may have delivered it meanwhile.
      guard let queued = waiting(id) else { return true }
      guard let found = page.first(where: { queued.mayBe($0, by: store.account) }) else { continue }
      await acknowledged(id, found)
      return true
    }
    return waiting(id) == nil
  }

  /// A waiting chat, unless it was discarded or seen in the room meanwhile.
  private func waiting(_ id: UUID) -> Outgoing? { outbox.first { $0.chat.id == id && $0.chat.status == .waiting } }
}
