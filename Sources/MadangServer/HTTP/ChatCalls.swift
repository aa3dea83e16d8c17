import Hummingbird
import MadangAPI
import MadangCore
import NIOCore

// What the editions share of chats: posting, history and unread counts differ in paths and objects only.

extension Call {
  /// Posts what the body holds: text, and every file part whatever its name.
  func post(to address: RoomAddress) async throws -> Response {
    let fields = try await fields()
    let draft = ChatDraft(content: try fields.text(.content) ?? "", files: fields.files.map(\.staged))
    return .json(try edition.encode(try await madang.post(draft, to: address, as: try caller)))
  }

  func unread(in address: RoomAddress) async throws -> Unread {
    // One client sends the cursor of the history here.
    let date = try edition.date(target[Field.after.rawValue] ?? target[Field.cursorDate.rawValue])
    return try await madang.unread(in: address, after: date, as: try caller)
  }

  /// The chats after the cursor as one array. A history that fits a page is sent whole; a longer one is streamed page
  /// by page, so that memory does not grow with it.
  func history(of address: RoomAddress) async throws -> Response {
    let date = try edition.date(target[Field.cursorDate.rawValue])
    var history = try await madang.history(of: address, after: date, as: try caller)
    let first = try await history.next() ?? []
    guard let second = try await history.next() else {
      return .json([UInt8(ascii: "[")] + (try elements(first)) + [UInt8(ascii: "]")])
    }
    let body = ResponseBody { [history, edition] writer in
      var history = history
      try await writer.write(ByteBuffer(bytes: [UInt8(ascii: "[")] + (try edition.elements(first))))
      var page: [Chat]? = second
      while let chats = page {
        if !chats.isEmpty {
          try await writer.write(ByteBuffer(bytes: [UInt8(ascii: ",")] + (try edition.elements(chats))))
        }
        page = try await history.next()
      }
      try await writer.write(ByteBuffer(bytes: [UInt8(ascii: "]")]))
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: .json, body: body)
  }

  private func elements(_ chats: [Chat]) throws -> [UInt8] { try edition.elements(chats) }
}

extension Edition {
  /// Chats as the inside of an array.
  fileprivate func elements(_ chats: [Chat]) throws -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, chat) in chats.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += try encode(chat)
    }
    return bytes
  }
}
