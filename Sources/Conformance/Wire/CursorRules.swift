import MadangAPI
import NIOHTTP1

/// Cursors of history and unread counts (wire contract, Cursors).
enum CursorRules {
  /// A room with three chats of A, read by B: what remains after a cursor made from the second chat's date.
  private static func remains(_ trial: Trial, after cursor: (String) throws -> String?) async throws -> [String] {
    let yard = try await trial.courtyard()
    let room = try await yard.sharedChannel()
    var dates: [String] = []
    for text in ["one", "two", "three"] { dates.append(try await yard.a.say(text, in: room).date("createdAt")) }
    guard let cursor = try cursor(dates[1]) else { return ["three"] }
    let history = try await yard.b.history(of: room, "?cursor_date=\(cursor)").texts("content")
    let count = try await yard.b.unread(in: room, "?after=\(cursor)")
    try expect(
      count == history.count, "the same count of unread chats as history holds after \(cursor)", seen: "\(count)")
    return history
  }

  private static func names(
    _ id: String, _ sentence: String, in editions: [EditionName] = EditionName.allCases,
    leaving expected: [String] = ["three"], cursor: @escaping @Sendable (String) throws -> String?
  ) -> Rule {
    Rule(id, .cursors, sentence, in: editions) { trial in
      let seen = try await remains(trial, after: cursor)
      try expectEqual(
        "chats after the second", seen, expected, cause: seen == ["two"] + expected ? .inclusiveCursor : nil)
    }
  }

  /// The date with its digits moved, without a zone.
  private static func moved(_ date: String, hours: Int64) throws -> String {
    guard let label = try? Cursor.label(date, zoneless: 0) else { throw Violation(expected: "a date", seen: date) }
    return String(WireDate.string(label + hours * 3_600_000).dropLast())
  }

  static let all: [Rule] = [
    names("cursors.exclusive", "A cursor is exclusive: the chat that it names is not sent again.") { $0 },
    names("cursors.encoded", "A cursor may be percent-encoded.") { percentEncoded($0) },
    names("cursors.lower-case", "T and Z may be lower case.") { $0.lowercased() },
    names("cursors.offset", "An offset is converted: +09:00 with digits nine hours later names the same chat.") {
      try moved($0, hours: 9) + "%2B09:00"
    },
    names("cursors.short-offsets", "+0900 and +09 are offsets as well.") { try moved($0, hours: 9) + "%2B0900" },
    names("cursors.zero-offset", "+0000 is an offset: it stands for Z.") { $0.dropLast() + "%2B0000" },
    names("cursors.raw-plus", "The plus sign of an offset may have become a blank.") {
      try moved($0, hours: 9) + "+09:00"
    },
    names("cursors.nine-digits", "Fractions of up to nine digits are cut to three.") { $0.dropLast() + "999999Z" },
    names("cursors.zoneless-utc", "Without zone the digits count as they are.", in: [.october2024]) {
      try moved($0, hours: 0).replacing("T", with: "%20")
    },
    names("cursors.zoneless-seoul", "Without zone the digits count as +09:00.", in: [.january2024]) {
      try moved($0, hours: 9).replacing("T", with: "%20")
    },
    names("cursors.future", "Nothing is newer than a cursor in the future.", leaving: []) { _ in
      "2999-01-01T00:00:00.000Z"
    },
    names("cursors.old", "All chats are newer than an old cursor.", leaving: ["one", "two", "three"]) { _ in
      "1970-01-01T00:00:00.000Z"
    },
    Rule("cursors.no-fraction", .cursors, "A cursor without fraction means the start of its second.") { trial in
      let after = try await remains(trial) { String($0.dropLast(5)) + "Z" }
      try expect(after.last == "three", "at least the third chat", seen: "\(after)")
    },
    Rule(
      "cursors.absent", .cursors, "Without a value the history is whole and nothing counts as unread."
    ) { trial in
      let yard = try await trial.courtyard()
      let room = try await yard.sharedChannel()
      _ = try await yard.a.say("one", in: room)
      for query in ["", "?cursor_date", "?cursor_date=", "?cursor_date=%20"] {
        try expectEqual("chats with '\(query)'", try await yard.b.history(of: room, query).count, 1)
      }
      for query in ["", "?after", "?after=", "?after=%20"] {
        try expectEqual("unread with '\(query)'", try await yard.b.unread(in: room, query), 0)
      }
    },
    Rule("cursors.unreadable", .cursors, "Any other cursor is E11, in history and in unread counts.") { trial in
      let yard = try await trial.courtyard()
      let room = try await yard.sharedChannel()
      for value in ["nil", "2024-12-13", "1734073530", "2024-13-01T00:00:00.000Z", "2024-12-13T07:05Z"] {
        try await yard.b.call(.GET, room.chats + "?cursor_date=" + value).isRefused(.badRequest)
        try await yard.b.call(.GET, room.unreads + "?after=" + value).isRefused(.badRequest)
      }
    },
    Rule("cursors.walk", .chats, "Using each last date as the next cursor neither skips nor repeats a chat.") {
      trial in
      let yard = try await trial.courtyard()
      for room in try await yard.rooms() {
        var seen: [String] = []
        for number in 0..<6 {
          _ = try await yard.a.say("\(number)", in: room)
          guard number % 2 == 1 else { continue }
          let last = seen.last
          let query = last.map { "?cursor_date=\($0)" } ?? ""
          let chats = try await yard.b.history(of: room, query)
          try expectEqual("new chats of a step", chats.count, 2, cause: chats.count == 3 ? .inclusiveCursor : nil)
          for chat in chats { seen.append(try chat.date("createdAt")) }
        }
        try expect(Set(seen).count == 6, "six different chats", seen: "\(seen)")
      }
    },
  ]
}
