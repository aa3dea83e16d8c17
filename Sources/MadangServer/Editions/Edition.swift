import MadangAPI
import MadangCore
import MadangOperations
import SocketIOProtocol

/// One dialect of the wire. This file has all differences between the editions, except their routes and objects, which have
/// a folder each. An edition translates and decides nothing.
struct Edition: Sendable {
  let id: EditionName
  let dates: WireDates

  /// - Parameter offset: The time zone of dates, in milliseconds east of UTC.
  init(_ id: EditionName, offset: Int64) {
    self.id = id
    switch id {
    case .january2024: dates = WireDates(offset: offset, zonelessOffset: 9 * 3_600_000)
    case .october2024: dates = WireDates(offset: offset, zonelessOffset: 0)
    }
  }

  /// All editions, with the time zones of the settings.
  static func all(_ settings: ServerSettings) -> [Edition] {
    EditionName.allCases.map { Edition($0, offset: settings.offset(of: $0) ?? 0) }
  }

  /// The name in sessions and tokens.
  var name: String { id.rawValue }

  /// The object that an id in a path or namespace names. No object has an id of the wrong form.
  func reference(_ id: String) -> Reference {
    switch self.id {
    case .january2024: .number(positiveNumber(id) ?? 0)
    case .october2024: .uuid(id)
    }
  }

  /// An id as text.
  func text(_ id: ObjectID) -> String {
    switch self.id {
    case .january2024: String(id.number)
    case .october2024: id.uuid
    }
  }

  /// Whether an id has this edition's form. It decides to which edition a namespace belongs.
  func isID(_ id: String) -> Bool {
    switch self.id {
    case .january2024: positiveNumber(id) != nil
    case .october2024:
      id.utf8.count == 36 && id.utf8.allSatisfy { $0 == UInt8(ascii: "-") || Character(.init($0)).isHexDigit }
    }
  }

  /// The kinds of room that a namespace with this prefix may name.
  func rooms(_ prefix: RoomNamespace.Prefix) -> [Room.Kind] {
    switch (id, prefix) {
    case (_, .channel): [.channel]
    case (.january2024, .dm): [.dm]
    // Some clients use the `dm` prefix for channels too.
    case (.october2024, .dm): [.dm, .channel]
    }
  }

  /// The namespaces that receive a chat, with the name of the event.
  func targets(_ chat: Chat) -> [(namespace: RoomNamespace, event: ChatEvent)] {
    let id = text(chat.room.id)
    return switch (self.id, chat.room.kind) {
    case (_, .dm): [(.init(.dm, id), .dm)]
    case (.january2024, .channel): [(.init(.channel, id), .channel)]
    case (.october2024, .channel): [(.init(.channel, id), .channel), (.init(.dm, id), .channel)]
    }
  }

  /// The chat's JSON: the same bytes for the POST reply and the sockets.
  func encode(_ chat: Chat) -> [UInt8] { encode([chat]) }

  /// The JSON of chats of one room, with commas between.
  func encode(_ chats: [Chat]) -> [UInt8] {
    guard let kind = chats.first?.room.kind else { return [] }
    return switch (id, kind) {
    case (.january2024, .channel): WireEncoder.elements(chats.lazy.map { Edition2024_01.ChannelChat($0, dates) })
    case (.january2024, .dm): WireEncoder.elements(chats.lazy.map { Edition2024_01.DMChat($0, dates) })
    case (.october2024, .channel): WireEncoder.elements(chats.lazy.map { Edition2024_10.ChannelChat($0, dates) })
    case (.october2024, .dm): WireEncoder.elements(chats.lazy.map { Edition2024_10.DMChat($0, dates) })
    }
  }

  /// Whether a refresh with a valid access token of the same session is refused (`E04`).
  var refusesEarlyRefresh: Bool { id == .january2024 }

  /// The answer if an invited e-mail address has no account.
  var noSuchInvitee: ErrorCode {
    switch id {
    case .january2024: .noAccount
    case .october2024: .notFound
    }
  }
}

/// An id of 2024-01: digits that do not begin with zero. Nil for any other text; no object has the id 0.
private func positiveNumber(_ text: String) -> Int64? {
  guard text.utf8.first != UInt8(ascii: "0"),
    text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
  else { return nil }
  return Int64(text)
}

/// How an edition writes dates and reads cursors (wire contract, Dates; Cursors).
struct WireDates: Sendable {
  /// The time zone of dates, in milliseconds east of UTC.
  let offset: Int64
  /// The time zone of cursors that name none, in milliseconds east of UTC.
  let zonelessOffset: Int64

  /// A moment as text, as clients receive it.
  func label(_ moment: Int64) -> String { WireDate.string(moment, offset: offset) }

  /// The moment a cursor names on this server's clock; nil if it is absent or blank. Throws `.invalid`.
  func moment(_ cursor: String?) throws -> Int64? {
    do {
      return try Cursor.label(cursor, zoneless: zonelessOffset).map { $0 - offset }
    } catch {
      throw Failure(.invalid, "the date '\(cursor ?? "")' cannot be read")
    }
  }
}
