import Foundation
import MadangAPI

extension Room {
  /// Sends text, up to five files, or both, in the order of the calls. Returns as soon as the chat is stored locally. It is sent once,
  /// while the room runs and is connected, and also after a restart of the program; ``PendingChat`` shows its status. A room that is opened
  /// for the first time sends as soon as its last page is known; a room whose history was completely read before sends once it is live.
  /// - Parameters:
  ///   - content: The text, up to 10,000 characters; may be empty if there are files.
  ///   - files: They must stay in place until the chat is acknowledged.
  /// - Throws: ``MadangError/outboxFull``, or ``MadangError/file(path:reason:)`` if it cannot be stored.
  @discardableResult
  public func send(_ content: String, files: [URL] = []) async throws -> PendingChat.ID {
    let unsent = outbox.count { $0.acknowledged == nil }
    guard unsent < client.configuration.maxPendingChats else { throw MadangError.outboxFull }
    let row = OutboxRow(id: UUID(), content: content, files: files, newerThan: newest, wasTried: false)
    try await store.enqueue(row, in: address, owner: owner)
    outbox.append(Outgoing(row))
    changed()
    return row.id
  }

  /// Sends a failed chat again, after the waiting ones.
  public func retry(_ id: PendingChat.ID) {
    guard let index = index(id), outbox[index].chat.hasFailed else { return }
    var outgoing = outbox.remove(at: index)
    outgoing.chat.status = .waiting
    outgoing.failures = 0
    outbox.append(outgoing)
    changed()
  }

  /// Discards a chat that is not acknowledged. A chat that is being sent may have reached the server.
  public func discard(_ id: PendingChat.ID) async throws {
    guard let index = index(id) else { return }
    if case .acknowledged = outbox[index].chat.status { return }
    if posting?.id == id { posting?.task.cancel() }
    outbox.remove(at: index)
    changed()
    try await store.removeFromOutbox(id)
  }

  /// The current position of a chat. It may change with every await.
  func index(_ id: UUID) -> Int? { outbox.firstIndex { $0.chat.id == id } }
}

// MARK: - Recognising

extension Room {
  /// Removes an arrived chat from the outbox, if it is there. A chat whose post is not answered yet stays in the outbox. So does a chat that
  /// is not yet both shown and stored; it is marked as acknowledged.
  /// - Returns: The chat's id in the outbox; nil if it is not there, or its post is not answered yet.
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
    let id = outbox[index].chat.id
    if isOver(chat) { outbox.remove(at: index) } else { outbox[index].chat.status = .acknowledged(chat) }
    return id
  }
}

extension Outgoing {
  var acknowledged: Chat? { if case .acknowledged(let chat) = chat.status { chat } else { nil } }
}
