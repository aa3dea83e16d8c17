import Foundation
import MadangAPI

/// A chat of one's own on its way, and what is needed to send it once only.
///
/// The server knows no idempotency key. So after an answer got lost, the sender first looks whether the chat is in the
/// room: same author, content and number of files, newer than what was there when it was first tried. If it cannot look,
/// it looks again: only the server's word on the post itself makes it untried. Two doubts remain.
/// A request that is under way in the network, or at the server, for longer than
/// ``MadangClient/Configuration/settleTime`` after its connection was lost may still be posted after the look, and so
/// twice (this machine sends nothing more of it: `ConnectionSettings`); and a chat of the same content posted from
/// another device of the same account between trying and looking is taken for this one.
struct Outgoing: Sendable {
  var chat: PendingChat
  /// If it was posted, then later than this.
  var newerThan: String
  /// Whether it may have been posted.
  var wasTried: Bool
  /// When an answer was lost, or would have been at the latest.
  var lostAt: ContinuousClock.Instant?
  /// A chat of the room that may be this one, seen before its post was answered. It may be somebody else's as well, so
  /// until the answer is there this one is only not shown.
  var seen: Chat?
  /// How often in a row it could not be sent.
  var failures = 0

  init(_ row: OutboxRow) {
    chat = PendingChat(id: row.id, content: row.content, files: row.files, status: .waiting)
    newerThan = row.newerThan
    wasTried = row.wasTried
    lostAt = row.wasTried ? .now : nil
  }

  /// Whether it may be this chat of the room.
  func mayBe(_ other: Chat, by account: String) -> Bool {
    wasTried && other.sender.userID == account && other.createdAt > newerThan && other.content == chat.content
      && other.files.count == chat.files.count
  }
}
