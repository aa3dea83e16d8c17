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
    let chat = try await madang.post(draft, to: address, as: try principal) { [context] in
      await !context.channel.hasClientLeft
    }
    return json(edition.encode(chat))
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

  /// The chats after a date. A history that fits a page is sent whole; a longer one is streamed page by page, so that
  /// memory does not grow with it.
  func history(of address: RoomAddress, after date: Int64?, within envelope: JSONEnvelope) async throws -> Response {
    var history = try await madang.history(of: address, after: date, as: try principal)
    let first = try await history.next() ?? []
    guard !history.isFinished else {
      return json(envelope.head + edition.encode(first) + envelope.tail)
    }
    let body = ResponseBody { [history, edition] writer in
      var history = history
      try await writer.write(ByteBuffer(bytes: envelope.head + edition.encode(first)))
      while let chats = try await history.next() {
        guard !chats.isEmpty else { continue }
        try await writer.write(ByteBuffer(bytes: [UInt8(ascii: ",")] + edition.encode(chats)))
      }
      try await writer.write(ByteBuffer(bytes: envelope.tail))
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: .json, body: body)
  }
}

/// The JSON around a list that is written by and by.
struct JSONEnvelope: Sendable {
  let head: [UInt8]
  let tail: [UInt8]

  static let array = JSONEnvelope(head: [UInt8(ascii: "[")], tail: [UInt8(ascii: "]")])

  private init(head: [UInt8], tail: [UInt8]) {
    self.head = head
    self.tail = tail
  }

  /// An object whose last key holds the list, given empty.
  init(_ object: some Encodable) throws {
    let json = try WireEncoder.encode(object)
    let emptyList = Array("[]}".utf8)
    precondition(json.suffix(3) == emptyList[...], "the list is the object's last key")
    head = Array(json.dropLast(2))
    tail = Array(json.suffix(2))
  }
}
