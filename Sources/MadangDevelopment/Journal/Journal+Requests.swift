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
  func recording(
    _ exchange: Exchange, _ coverage: Coverage, _ request: Request, _ answer: Instruments.Answer
  ) async throws -> Response {
    let recorder = RequestRecorder(exchange, in: self, coverage)
    var response = try await answer(request)
    // Nobody but the client knows of a connection that is gone what came of its answer.
    if recorder.mayHaveLost, await recorder.hasClientLeft {
      if recorder.mustFindAccount(status: nil) { await recorder.findAccount() }
      recorder.finish()
      return response
    }
    if recorder.mustFindAccount(status: response.status.code) { await recorder.findAccount() }
    let whole = response.body
    recorder.answered(response)
    if whole.contentLength == 0 || exchange.head.method == .head {
      recorder.finish()
    } else if exchange.fault == nil, let length = whole.contentLength, recorder.isPolling {
      recorder.finish(size: length)
    } else if exchange.fault == nil, let length = whole.contentLength, length <= Self.maxWhole, recorder.wantsBody {
      // Head and body of an answer that is there as a whole go out with one write.
      try await whole.write(CollectingWriter(recorder: recorder))
      response.body = ResponseBody(byteBuffer: recorder.finishedWhole())
    } else {
      response.body = ResponseBody(contentLength: whole.contentLength) { writer in
        try await whole.write(RecordingWriter(parent: writer, recorder: recorder))
      }
    }
    return response
  }
}

/// Watches one request. What was not finished when nobody holds it any more was given up.
private final class RequestRecorder: Sendable {
  private struct State {
    var response: (status: Int, headers: HTTPFields, length: Int?, isText: Bool)?
    var body: [ByteBuffer] = []
    var whole = ByteBuffer()
    var size = 0
    var isFinished = false
  }

  private let exchange: Exchange
  private let journal: Journal
  private let coverage: Coverage
  private let at: Int64
  private let state = Mutex(State())

  init(_ exchange: Exchange, in journal: Journal, _ coverage: Coverage) {
    self.exchange = exchange
    self.coverage = coverage
    self.journal = journal
    at = journal.clock.now
  }

  deinit { finish() }

  var isPolling: Bool { exchange.isOfSocket }

  /// To ask whether the client has closed its side costs something, and few do while they are answered at once.
  private static let quick: UInt64 = 1_000_000_000

  /// Whether it is worth asking if the client has left.
  var mayHaveLost: Bool {
    NIODeadline.now().uptimeNanoseconds - exchange.begun > Self.quick || !exchange.channel.isActive
  }

  var hasClientLeft: Bool {
    get async { exchange.channel.isActive ? await exchange.channel.hasClientLeft : true }
  }

  /// Where the server did not ask who calls, or refused to say, the token tells.
  /// - Parameter status: Nil if the client gets no answer.
  func mustFindAccount(status: Int?) -> Bool {
    guard exchange.knownAccount == nil, !isPolling, exchange.head.headerFields[.authorization] != nil else {
      return false
    }
    return status != 200 || exchange.knownOperation?.route.access == .refreshToken
  }

  func findAccount() async { _ = await exchange.account() }

  func answered(_ response: Response) {
    // Looking a name up costs more than a look at each.
    let isText = !isPolling && response.headers.contains { $0.name == .contentType && $0.value.isTextType }
    state.withLock {
      $0.response = (response.status.code, response.headers, response.body.contentLength, isText)
    }
  }

  /// Whether the answer is text.
  var wantsBody: Bool { state.withLock { $0.response?.isText ?? false } }

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
      let room = Journal.maxText - state.size
      state.size += buffer.readableBytes
      if state.response?.isText ?? false, room > 0, buffer.readableBytes > 0 {
        state.body.append(
          buffer.readableBytes <= room ? buffer : buffer.getSlice(at: buffer.readerIndex, length: room) ?? buffer)
      }
      return state.response?.length.map { state.size >= $0 } ?? false
    }
    if isLast { finish() }
  }

  /// - Parameter size: Of an answer whose bytes are not looked at.
  func finish(size: Int? = nil) {
    let end = NIODeadline.now().uptimeNanoseconds
    let seen: State? = state.withLock { state in
      guard !state.isFinished else { return nil }
      state.isFinished = true
      if let size { state.size = size }
      return state
    }
    guard let seen else { return }
    let request = RawRequest(
      exchange, status: seen.response?.status, answerHeaders: seen.response?.headers ?? [:],
      answer: seen.body, answerSize: seen.size, nanoseconds: end - exchange.begun, on: journal.sheets)
    coverage.count(request, exchange)
    journal.append(.request(request), at: at, begun: exchange.begun)
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

extension String {
  /// Whether a content type says that the content is text, or JSON.
  fileprivate var isTextType: Bool {
    hasPrefix("application/json") || hasPrefix("text/")
  }
}
