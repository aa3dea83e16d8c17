import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangServer
import NIOCore
import SocketIOServer
import Synchronization

extension Journal {
  /// A request gets no response.
  func recordUnanswered(_ exchange: Exchange) {
    append(FinishedRequest(exchange: exchange, end: uptime()))
  }

  /// The response, which records its request while it is written: before the client has the last byte.
  func recorded(_ response: Response, of exchange: Exchange) async -> Response {
    // After the connection has ended, only the client knows whether the answer arrived.
    let isLost = if exchange.mayHaveLost(by: uptime()) { await exchange.hasClientLeft } else { false }
    if exchange.lacksAccount(status: isLost ? nil : response.status.code) { await exchange.account() }
    guard !isLost else {
      recordUnanswered(exchange)
      return response
    }
    let (recorder, body) = (AnswerRecorder(exchange, answeredBy: response, in: self), response.body)
    var response = response
    response.body = ResponseBody(contentLength: body.contentLength) { writer in
      // The call is in progress until the answer is written.
      defer { withExtendedLifetime(recorder) {} }
      try await body.write(RecordingWriter(parent: writer, recorder: recorder))
    }
    return response
  }
}

private func uptime() -> UInt64 { NIODeadline.now().uptimeNanoseconds }

/// Watches an answer that is written in pieces. If the last reference ends before it is finished, it was given up.
private final class AnswerRecorder: Sendable {
  private struct State {
    var request: FinishedRequest
    var isFinished = false
  }

  private let journal: Journal
  /// The expected length of the answer's body.
  private let length: Int?
  private let isText: Bool
  private let state: Mutex<State>

  init(_ exchange: Exchange, answeredBy response: Response, in journal: Journal) {
    self.journal = journal
    length = response.body.contentLength
    isText = !exchange.isOfSocket && response.headers[.contentType]?.isTextType ?? false
    state = Mutex(
      State(
        request: FinishedRequest(
          exchange: exchange, status: response.status.code, answerHeaders: response.headers, end: 0)))
  }

  deinit { finish() }

  /// Called before bytes are written to the connection, so that a client with the whole answer finds it in the journal.
  func writes(_ buffer: ByteBuffer) {
    let isLast = state.withLock { state in
      let room = Journal.maxText - state.request.answerSize
      state.request.answerSize += buffer.readableBytes
      if isText, room > 0 { state.request.answer += buffer.readableBytesView.prefix(room) }
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
  /// Checking whether the client has closed its side costs time, and few clients do so within a fast answer.
  private static let quick: UInt64 = 1_000_000_000

  /// Whether to check if the client has left.
  fileprivate func mayHaveLost(by now: UInt64) -> Bool { now - begun > Self.quick || !channel.isActive }

  fileprivate var hasClientLeft: Bool {
    get async { channel.isActive ? await channel.hasClientLeft : true }
  }
}

extension Exchange {
  /// If the server did not authenticate the caller, or refused, the account comes from the token.
  /// - Parameter status: Nil if the client gets no answer.
  fileprivate func lacksAccount(status: Int?) -> Bool {
    guard !isOfSocket, head.headerFields.contains(.authorization) else { return false }
    let known = known
    return known.account == nil && (status != 200 || known.operation?.route.access == .refreshToken)
  }
}

extension String {
  /// Whether a content type is text or JSON.
  fileprivate var isTextType: Bool {
    hasPrefix("application/json") || hasPrefix("text/")
  }
}
