import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangServer
import NIOCore
import SocketIOServer
import Synchronization

extension Journal {
  /// The longest answer that is looked at as a whole before it goes out, in bytes.
  private static let maxWhole = 1 << 20

  /// Has a request answered, and records it before its client has the last byte of the answer.
  ///
  /// Each call that may suspend costs every request something, so none is made without need.
  nonisolated(nonsending) func recording(
    _ exchange: Exchange, _ request: Request, _ answer: Instruments.Answer
  ) async throws -> Response {
    let notes = exchange.notes
    let recorder = RequestRecorder(notes, in: self)
    var response = try await answer(request)
    // Nobody but the client knows of a connection that is gone what came of its answer.
    if exchange.mayHaveLost, await exchange.hasClientLeft {
      if notes.lacksAccount(status: nil) { _ = await exchange.account() }
      recorder.finish()
      return response
    }
    if notes.lacksAccount(status: response.status.code) { _ = await exchange.account() }
    let whole = response.body
    recorder.answered(response)
    if whole.contentLength == 0 || notes.head.method == .head {
      recorder.finish()
    } else if notes.fault == nil, let length = whole.contentLength, notes.isOfSocket {
      recorder.finish(size: length)
    } else if notes.fault == nil, let length = whole.contentLength, length <= Self.maxWhole, recorder.wantsBody {
      // Head and body of an answer that is there as a whole go out with one write.
      try await whole.write(CollectingWriter(recorder: recorder))
      response.body = ResponseBody(byteBuffer: recorder.finishedWhole())
    } else {
      response.body = ResponseBody(contentLength: whole.contentLength) { writer in
        // The call is under way until the answer is written.
        defer { withExtendedLifetime(exchange) {} }
        try await whole.write(RecordingWriter(parent: writer, recorder: recorder))
      }
    }
    return response
  }
}

/// Watches one request. What was not finished when nobody holds it any more was given up.
private final class RequestRecorder: Sendable {
  private struct State {
    var request: FinishedRequest
    /// How long the answer's body is to be.
    var length: Int?
    var isText = false
    var whole = ByteBuffer()
    var isFinished = false
  }

  private let notes: ExchangeNotes
  private let journal: Journal
  private let state: Mutex<State>

  init(_ notes: ExchangeNotes, in journal: Journal) {
    self.notes = notes
    self.journal = journal
    state = Mutex(State(request: FinishedRequest(notes: notes, at: journal.clock.now)))
  }

  deinit { finish() }

  func answered(_ response: Response) {
    // Looking a name up costs more than a look at each.
    let isText = !notes.isOfSocket && response.headers.contains { $0.name == .contentType && $0.value.isTextType }
    state.withLock { state in
      (state.request.status, state.request.answerHeaders) = (response.status.code, response.headers)
      (state.length, state.isText) = (response.body.contentLength, isText)
    }
  }

  /// Whether the answer is text.
  var wantsBody: Bool { state.withLock(\.isText) }

  /// Bytes of an answer that is looked at as a whole.
  func collects(_ buffer: ByteBuffer) {
    state.withLock { state in
      var buffer = buffer
      if state.whole.readableBytes == 0 { state.whole = buffer } else { state.whole.writeBuffer(&buffer) }
    }
  }

  /// The answer that was collected.
  func finishedWhole() -> ByteBuffer {
    let whole = state.withLock(\.whole)
    writes(whole)
    finish()
    return whole
  }

  /// Bytes are about to be handed to the connection. Who has the whole answer finds it in the journal.
  func writes(_ buffer: ByteBuffer) {
    let isLast = state.withLock { state in
      let room = Journal.maxText - state.request.answerSize
      state.request.answerSize += buffer.readableBytes
      if state.isText, room > 0, buffer.readableBytes > 0 {
        state.request.answer.append(
          buffer.readableBytes <= room ? buffer : buffer.getSlice(at: buffer.readerIndex, length: room) ?? buffer)
      }
      return state.length.map { state.request.answerSize >= $0 } ?? false
    }
    if isLast { finish() }
  }

  /// - Parameter size: Of an answer whose bytes are not looked at.
  func finish(size: Int? = nil) {
    let request: FinishedRequest? = state.withLock { state in
      guard !state.isFinished else { return nil }
      state.isFinished = true
      state.request.end = NIODeadline.now().uptimeNanoseconds
      if let size { state.request.answerSize = size }
      return state.request
    }
    if let request { journal.append(request) }
  }
}

private struct CollectingWriter: ResponseBodyWriter {
  let recorder: RequestRecorder

  mutating func write(_ buffer: ByteBuffer) async throws { recorder.collects(buffer) }

  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

private struct RecordingWriter: ResponseBodyWriter {
  var parent: any ResponseBodyWriter
  let recorder: RequestRecorder

  mutating func write(_ buffer: ByteBuffer) async throws {
    recorder.writes(buffer)
    try await parent.write(buffer)
  }

  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
    recorder.finish()
    try await parent.finish(trailingHeaders)
  }
}

extension Exchange {
  /// To ask whether the client has closed its side costs something, and few do while they are answered at once.
  private static let quick: UInt64 = 1_000_000_000

  /// Whether it is worth asking if the client has left.
  fileprivate var mayHaveLost: Bool {
    NIODeadline.now().uptimeNanoseconds - notes.begun > Self.quick || !channel.isActive
  }

  fileprivate var hasClientLeft: Bool {
    get async { channel.isActive ? await channel.hasClientLeft : true }
  }
}

extension ExchangeNotes {
  /// Where the server did not ask who calls, or refused to say, the token tells.
  /// - Parameter status: Nil if the client gets no answer.
  fileprivate func lacksAccount(status: Int?) -> Bool {
    guard knownAccount == nil, !isOfSocket, head.headerFields[.authorization] != nil else { return false }
    return status != 200 || knownOperation?.route.access == .refreshToken
  }
}

extension String {
  /// Whether a content type says that the content is text, or JSON.
  fileprivate var isTextType: Bool {
    hasPrefix("application/json") || hasPrefix("text/")
  }
}
