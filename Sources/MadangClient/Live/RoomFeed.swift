import MadangAPI
import SocketIOProtocol

/// The position in one room up to which chats were shown, so that none is missed or repeated.
///
/// A room's dates strictly increase in the order in which chats become visible and are sent, so one date is enough.
struct RoomFeed {
  let room: RoomAddress
  /// The date of the last chat shown; before the first chat, when watching began.
  private(set) var cursor = ""
  var isJoined = false
  private(set) var mustCatchUp: Bool
  private var asked = 0

  /// How often in a row the server may refuse this client for a temporary reason.
  private static let maxAsked = 5

  init(_ room: RoomAddress, cursor: String?) {
    self.room = room
    self.cursor = cursor ?? ""
    mustCatchUp = cursor != nil
  }

  var needsBeginning: Bool { cursor.isEmpty }

  /// Without a cursor, only chats from now on count.
  mutating func begin(at now: String) {
    if cursor.isEmpty { cursor = now }
  }

  mutating func joined() {
    isJoined = true
    mustCatchUp = true
    asked = 0
  }

  /// Returns whether the chat is new, and marks it as shown.
  mutating func isNew(_ chat: Chat) -> Bool {
    guard chat.createdAt > cursor else { return false }
    cursor = chat.createdAt
    return true
  }

  mutating func askAgain(orThrow error: MadangError) throws(MadangError) {
    asked += 1
    if asked > Self.maxAsked { throw error }
  }

  func decode(_ arguments: SocketArguments) throws -> Chat {
    do {
      return try room.chat(json: arguments.values.first ?? [])
    } catch {
      throw MadangError.unintelligible(status: 200, reason: "a live event is not a chat")
    }
  }
}
