import Foundation
import MadangAPI

/// An outgoing chat of this account, with the data that is needed to send it only once.
///
/// The server has no idempotency key. So after a lost answer the sender first looks whether the chat is in the room: same author, content
/// and number of files, newer than the newest chat before the first attempt. If it cannot look, it tries to look again: only the server's
/// answer to the post itself marks the chat as not posted.
///
/// Two mistakes remain possible:
///
/// - A chat is posted twice if its first request stays in the network or at the server for longer than
///   ``MadangClient/Configuration/settleTime`` after the connection was lost. This machine itself sends nothing of it later
///   (`ConnectionSettings`).
/// - A chat is not posted if another device of the account posts the same content between the attempt and the look.
struct Outgoing: Sendable {
  var chat: PendingChat
  /// If the chat was posted, its date is later than this.
  var newerThan: String
  /// Whether the chat may have been posted.
  var wasTried: Bool
  /// The latest time at which the answer to a post may have been lost; nil if none was lost.
  var lostAt: ContinuousClock.Instant?
  /// A chat of the room that may be this one, seen before the post was answered. It may be from another device, so this chat is only hidden
  /// until the answer arrives.
  var seen: Chat?
  /// How many attempts have failed in a row.
  var failures = 0

  init(_ row: OutboxRow) {
    chat = PendingChat(id: row.id, content: row.content, files: row.files, status: .waiting)
    newerThan = row.newerThan
    wasTried = row.wasTried
    lostAt = row.wasTried ? .now : nil
  }

  /// Whether this chat of the room may be the same one.
  func mayBe(_ other: Chat, by account: String) -> Bool {
    wasTried && other.sender.userID == account && other.createdAt > newerThan && other.content == chat.content
      && other.files.count == chat.files.count
  }
}
