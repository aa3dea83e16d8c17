import Hummingbird
import MadangAPI
import MadangCore
import NIOCore
import SocketIOServer

// What the editions share of chats: posting, history and unread counts differ in paths and objects only.

extension Call {
  /// Posts what the body holds: text, and every file part whatever its name.
  func post(to address: RoomAddress) async throws -> Response {
    let fields = try await body.fields()
    let draft = ChatDraft(content: try fields.text(.content) ?? "", files: fields.files.map(\.staged))
    let post = {
      let chat = try await madang.post(draft, to: address, as: try principal) { [connection] in
        await !connection.hasClientLeft
      }
      outcome.chat = chat
      return chat
    }
    let chat = if let posting { try await posting(draft, post) } else { try await post() }
    return .json(edition.encode(chat))
  }

  func unread(in address: RoomAddress) async throws -> Unread {
    // One client sends the cursor of the history here.
    let date = try dates.moment(target[Field.after.rawValue] ?? target[Field.cursorDate.rawValue])
    return try await madang.unread(in: address, after: date, as: try principal)
  }

  /// The moment the query's cursor names, nil for the whole history. Throws `.invalid`.
  var historyDate: Int64? {
    get throws { try dates.moment(target[Field.cursorDate.rawValue]) }
  }

  /// The chats after the cursor as one array.
  func history(of address: RoomAddress) async throws -> Response {
    try await history(of: address, after: try historyDate, within: .array)
  }

  /// The chats after a date.
  func history(of address: RoomAddress, after date: Int64?, within envelope: JSONEnvelope) async throws -> Response {
    var history = try await madang.history(of: address, after: date, as: try principal)
    let chats = try await history.next() ?? []
    return try await answer(envelope, with: [JSONPages(chats, of: history, edition, upTo: historyEnd)])
  }
}
