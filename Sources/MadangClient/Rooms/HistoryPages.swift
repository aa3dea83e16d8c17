import MadangAPI
import NIOCore

/// A room's chats newer than a date, oldest first, one page at a time while the answer streams in.
struct HistoryPages: AsyncSequence {
  typealias Element = [Chat]

  let client: MadangClient
  let room: RoomAddress
  /// The date; nil for all chats.
  let cursor: String?

  func makeAsyncIterator() -> Iterator { Iterator(self) }

  struct Iterator: AsyncIteratorProtocol {
    private let history: HistoryPages
    private var body: AnswerBody?
    private var array: ArrayPages
    private var ready: ArraySlice<[UInt8]> = []

    init(_ history: HistoryPages) {
      self.history = history
      let configuration = history.client.configuration
      array = ArrayPages(size: configuration.historyPage, maxElementBytes: configuration.maxChatBytes)
    }

    /// The next page, of at least one chat; nil at the end of the history.
    /// - Throws: ``MadangError``, also if the answer is not a history or ends early.
    mutating func next() async throws -> [Chat]? {
      if body == nil { body = try await history.client.historyBody(of: history.room, after: history.cursor) }
      do {
        while ready.isEmpty, let chunk = try await body?.next() { ready = try array.add(chunk.readableBytesView)[...] }
        if let page = ready.popFirst() { return try history.room.chats(json: page) }
        try array.finish()
        return nil
      } catch is ArrayPages.Failure {
        throw Self.unintelligible
      } catch is DecodingError {
        throw Self.unintelligible
      }
    }

    private static let unintelligible = MadangError.unintelligible(status: 200, reason: "the body is no history")
  }
}
