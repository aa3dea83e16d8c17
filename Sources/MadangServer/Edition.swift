import MadangAPI
import MadangCore

/// One dialect of the wire: its routes, ids, dates, codes and chats. It translates and decides nothing.
/// A class, because every request passes it on and copying a large value is expensive.
final class Edition: Sendable {
  let id: EditionName
  let routes: RouteTable
  let dates: WireDates
  /// Reads an id in a path or namespace; an id of another form matches nothing.
  let reference: @Sendable (String) -> Reference
  /// Writes an id as text.
  let text: @Sendable (ObjectID) -> String
  /// Whether an id has this edition's form, which decides the edition of a namespace.
  let isID: @Sendable (String) -> Bool
  /// The kinds of rooms for a namespace with this prefix.
  let rooms: @Sendable (RoomNamespace.Prefix) -> [Room.Kind]
  /// The namespaces of a chat, with the name of its event.
  let targets: @Sendable (Chat) -> [(namespace: RoomNamespace, event: ChatEvent)]
  private let elements: @Sendable (Room.Kind, [Chat]) -> [UInt8]
  /// Whether a refresh with a valid access token of its session is refused (`E04`).
  let refusesEarlyRefresh: Bool
  /// The answer to an invitation of an address without an account.
  let noSuchInvitee: ErrorCode

  init(
    id: EditionName, routes: RouteTable, dates: WireDates, reference: @escaping @Sendable (String) -> Reference,
    text: @escaping @Sendable (ObjectID) -> String, isID: @escaping @Sendable (String) -> Bool,
    rooms: @escaping @Sendable (RoomNamespace.Prefix) -> [Room.Kind],
    targets: @escaping @Sendable (Chat) -> [(namespace: RoomNamespace, event: ChatEvent)],
    elements: @escaping @Sendable (Room.Kind, [Chat]) -> [UInt8], refusesEarlyRefresh: Bool,
    noSuchInvitee: ErrorCode
  ) {
    (self.id, self.routes, self.dates) = (id, routes, dates)
    (self.reference, self.text, self.isID) = (reference, text, isID)
    (self.rooms, self.targets, self.elements) = (rooms, targets, elements)
    (self.refusesEarlyRefresh, self.noSuchInvitee) = (refusesEarlyRefresh, noSuchInvitee)
  }

  /// The edition's name in sessions and tokens.
  var name: String { id.rawValue }

  /// The chat's JSON: the same bytes for the POST reply and the sockets.
  func encode(_ chat: Chat) -> [UInt8] { elements(chat.room.kind, [chat]) }

  /// The JSON of chats of one room, with commas between.
  func encode(_ chats: [Chat]) -> [UInt8] { chats.first.map { elements($0.room.kind, chats) } ?? [] }

  /// - Parameter offset: The time zone of its dates, in milliseconds east of UTC.
  static func named(_ name: EditionName, offset: Int64) -> Edition {
    switch name {
    case .january2024: january2024(offset: offset)
    case .october2024: october2024(offset: offset)
    }
  }
}

/// How an edition writes dates and reads cursors (wire contract, Dates; Cursors).
struct WireDates: Sendable {
  /// The time zone of dates: milliseconds east of UTC.
  let offset: Int64
  /// The default time zone of cursors: milliseconds east of UTC.
  let zonelessOffset: Int64

  /// A date in wire format.
  func label(_ moment: Int64) -> String { WireDate.string(moment, offset: offset) }

  /// The moment of a cursor on this server's clock; nil if it is absent or blank. Throws `.invalid`.
  func moment(_ cursor: String?) throws -> Int64? {
    do {
      return try Cursor.label(cursor, zoneless: zonelessOffset).map { $0 - offset }
    } catch {
      throw Failure(.invalid, "the date '\(cursor ?? "")' cannot be read")
    }
  }
}
