import Foundation
import MadangAPI

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
  func index(_ id: UUID) -> Int? { outbox.firstIndex { $0.chat.id == id } }

  func outgoing(_ id: UUID) -> Outgoing? { index(id).map { outbox[$0] } }
}

// MARK: - Recognising

extension Room {
  /// Takes a chat that has come out of the outbox, if it is from there. What is being posted stays there until the server
  /// has answered.
  /// - Returns: Its id there.
  func recognise(_ chat: Chat) -> UUID? {
    guard chat.sender.userID == store.account else { return nil }
    let index =
      outbox.firstIndex { $0.acknowledged?.id == chat.id }
      ?? outbox.firstIndex { $0.chat.isOnItsWay && $0.seen == nil && $0.mayBe(chat, by: store.account) }
    guard let index else { return nil }
    guard posting?.id != outbox[index].chat.id else {
      outbox[index].seen = chat
      return nil
    }
    return outbox.remove(at: index).chat.id
  }
}

extension Outgoing {
  fileprivate var acknowledged: Chat? { if case .acknowledged(let chat) = chat.status { chat } else { nil } }
}
