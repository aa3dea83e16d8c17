import MadangAPI
import MadangCore

/// One dialect of the wire: its routes, ids, dates and chats. It translates and decides nothing.
struct Edition: Sendable {
  /// `2024-10`; also what sessions and tokens of the edition carry.
  let name: String
  let routes: RouteTable
  /// How an id in a path or namespace is read.
  let reference: @Sendable (String) -> Reference
  /// Wall-clock digits of dates: milliseconds east of UTC.
  let dateOffset: Int64
  /// What a cursor without zone is taken for: milliseconds east of UTC.
  let zonelessOffset: Int64
  /// The namespaces a chat goes to, with the event it arrives as.
  let targets: @Sendable (Chat) -> [(namespace: RoomNamespace, event: ChatEvent)]
  /// The chat's JSON: the same bytes for the POST reply and the sockets.
  let encode: @Sendable (Chat) throws -> [UInt8]
}

extension Edition {
  /// The moment a cursor names on this server's clock; nil if it is absent or blank. Throws `.invalid`.
  func date(_ cursor: String?) throws -> Int64? {
    do {
      return try Cursor.label(cursor, zoneless: zonelessOffset).map { $0 - dateOffset }
    } catch {
      throw Failure(.invalid, "the date '\(cursor ?? "")' cannot be read")
    }
  }
}
