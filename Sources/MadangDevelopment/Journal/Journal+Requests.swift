import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangServer
import NIOCore
import SocketIOServer
import Synchronization

extension Journal {
  /// The longest answer that is recorded before it is written, in bytes.
  fileprivate static let maxWhole = 1 << 20

  /// A request gets no response.
  func recordUnanswered(_ exchange: Exchange) {
    append(FinishedRequest(exchange: exchange, answerHeaders: [:], end: uptime()))
  }

  /// Records a request before its client has the last byte of the response, which may be replaced. Returns false, with nothing recorded,
  /// if ``recordAfterLookup(_:answeredBy:)`` has to be called.
  func record(_ exchange: Exchange, answeredBy response: inout Response) -> Bool {
    let now = uptime()
    guard !exchange.mayHaveLost(by: now) else { return false }
    var finished = FinishedRequest(exchange, answeredBy: response, at: now)
    let size = response.body.contentLength
    let outcome = exchange.withKnown { known in
      if known.lacksAccount(status: finished.status, of: exchange) { return Recording.afterLookup }
      return recordWhole(&finished, size, known) ? .done : .whileWritten
    }
    if outcome == .whileWritten { recordWhileWritten(&response, finished) }
    return outcome != .afterLookup
  }

  /// Whether a request is recorded, or when it will be.
  private enum Recording { case done, whileWritten, afterLookup }

  /// Records a request whose client may be gone, or whose account is not known: where ``record(_:answeredBy:)`` has returned false.
  nonisolated(nonsending) func recordAfterLookup(_ exchange: Exchange, answeredBy response: inout Response) async {
    let now = uptime()
    // Nobody but the client knows of a connection that is gone what came of its answer.
    let isLost = if exchange.mayHaveLost(by: now) { await exchange.hasClientLeft } else { false }
    let status = isLost ? nil : response.status.code
    if exchange.withKnown({ $0.lacksAccount(status: status, of: exchange) }) { _ = await exchange.account() }
    guard !isLost else { return append(FinishedRequest(exchange: exchange, answerHeaders: [:], end: now)) }
    var finished = FinishedRequest(exchange, answeredBy: response, at: now)
    let size = response.body.contentLength
    if !exchange.withKnown({ recordWhole(&finished, size, $0) }) { recordWhileWritten(&response, finished) }
  }

  /// Returns false, with nothing recorded, if the answer is known only when it is written.
  ///
  /// - Parameter size: Of the answer's body, as far as it is known.
  @inline(__always)
  private func recordWhole(_ finished: inout FinishedRequest, _ size: Int?, _ known: borrowing Exchange.Known) -> Bool {
    guard finished.takeBody(ofSize: size, known) else { return false }
    append(finished, known)
    return true
  }

  /// Has the request recorded as the response is written.
  private func recordWhileWritten(_ response: inout Response, _ finished: FinishedRequest) {
    var finished = finished
    finished.beginsAsJSON = response.headers.starts(with: HTTPFields.json)
    let (recorder, body) = (AnswerRecorder(finished, answeredBy: response, in: self), response.body)
    response.body = ResponseBody(contentLength: body.contentLength) { writer in
      // The exchange, and with it the call, is under way until the answer is written.
      defer { withExtendedLifetime(recorder) {} }
      try await body.write(RecordingWriter(parent: writer, recorder: recorder))
    }
  }
}

private func uptime() -> UInt64 { NIODeadline.now().uptimeNanoseconds }

extension FinishedRequest {
  fileprivate init(_ exchange: Exchange, answeredBy response: Response, at end: UInt64) {
    self.init(exchange: exchange, status: response.status.code, answerHeaders: response.headers, end: end)
  }

  /// Notes the answer's body. Returns false, with nothing noted, if what it has is known only when it is written.
  @inline(__always)
  fileprivate mutating func takeBody(ofSize size: Int?, _ known: borrowing Exchange.Known) -> Bool {
    if size == 0 || exchange.head.method == .head { return true }
    guard known.fault == nil else { return false }
    if let whole = known.answer, whole.readableBytes == size, whole.readableBytes <= Journal.maxWhole {
      answer = whole
      answerSize = whole.readableBytes
      beginsAsJSON = true
      return true
    }
    guard exchange.isOfSocket, let size else { return false }
    answerSize = size
    return true
  }

  fileprivate mutating func add(_ piece: ByteBuffer) {
    if answer == nil { answer = piece } else { answer?.writeImmutableBuffer(piece) }
  }
}

/// Watches an answer that is written piece by piece. What was not finished when nobody holds it any more was given up.
private final class AnswerRecorder: Sendable {
  private struct State {
    var request: FinishedRequest
    var isFinished = false
  }

  private let journal: Journal
  /// How long the answer's body is to be.
  private let length: Int?
  private let isText: Bool
  private let state: Mutex<State>

  init(_ request: FinishedRequest, answeredBy response: Response, in journal: Journal) {
    self.journal = journal
    length = response.body.contentLength
    isText = !request.exchange.isOfSocket && response.headers[.contentType]?.isTextType ?? false
    state = Mutex(State(request: request))
  }

  deinit { finish() }

  /// Bytes are about to be handed to the connection. Who has the whole answer finds it in the journal.
  func writes(_ buffer: ByteBuffer) {
    let isLast = state.withLock { state in
      let room = Journal.maxText - state.request.answerSize
      state.request.answerSize += buffer.readableBytes
      if isText, room > 0, buffer.readableBytes > 0 {
        state.request.add(buffer.beginning(room))
      }
      return length.map { state.request.answerSize >= $0 } ?? false
    }
    if isLast { finish() }
  }

  func finish() {
    let request: FinishedRequest? = state.withLock { state in
      guard !state.isFinished else { return nil }
      state.isFinished = true
      state.request.end = uptime()
      return state.request
    }
    if let request { journal.append(request) }
  }
}

private struct RecordingWriter: ResponseBodyWriter {
  var parent: any ResponseBodyWriter
  let recorder: AnswerRecorder

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
  fileprivate func mayHaveLost(by now: UInt64) -> Bool { now - begun > Self.quick || !channel.isActive }

  fileprivate var hasClientLeft: Bool {
    get async { channel.isActive ? await channel.hasClientLeft : true }
  }
}

extension Exchange.Known {
  /// Where the server did not ask who calls, or refused to say, the token tells.
  /// - Parameter status: Nil if the client gets no answer.
  fileprivate borrowing func lacksAccount(status: Int?, of exchange: Exchange) -> Bool {
    account == nil && !exchange.isOfSocket && (status != 200 || operation?.route.access == .refreshToken)
      && exchange.head.headerFields.contains(.authorization)
  }
}

extension ByteBuffer {
  /// What it holds, up to so many bytes.
  fileprivate func beginning(_ limit: Int) -> ByteBuffer {
    getSlice(at: readerIndex, length: min(readableBytes, limit)) ?? self
  }
}

extension String {
  /// Whether a content type says that the content is text, or JSON.
  fileprivate var isTextType: Bool {
    hasPrefix("application/json") || hasPrefix("text/")
  }
}
