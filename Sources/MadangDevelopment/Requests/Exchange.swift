import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangServer
import NIOCore
import SocketIOServer
import Synchronization

/// An HTTP request that is being answered, and what is known of it so far.
package final class Exchange: Sendable {
  /// What was found out so far.
  struct Known: Sendable {
    fileprivate var lookedUpOperation: EditionOperation??
    fileprivate var lookedUpAccount: Learned.Account??
    fileprivate(set) var fault: AppliedFault?
    /// As far as the server has read it.
    fileprivate(set) var body: BodyRecord
    fileprivate(set) var learned: Learned?

    var operation: EditionOperation? { learned?.operation ?? lookedUpOperation ?? nil }
    var account: Learned.Account? { learned?.account ?? lookedUpAccount ?? nil }
  }

  let head: HTTPRequest
  /// Whether the request is one of long-polling, or of a socket otherwise.
  let isOfSocket: Bool
  /// The connection the request came by.
  let channel: any NIOCore.Channel
  /// When it began, in milliseconds of the server's clock.
  let at: Int64
  let visit: Visit
  private let state: Mutex<Known>

  /// - Parameter visit: Begun before `at` was read: a reset sets the clock before it lets another begin.
  init(_ head: HTTPRequest, over channel: any NIOCore.Channel, at moment: Int64, _ visit: Visit) {
    (self.head, self.channel, at, self.visit) = (head, channel, moment, visit)
    isOfSocket = visit.server.socketIO.isSocketPath(head.pathWithoutQuery)
    state = Mutex(Known(body: BodyRecord(contentType: head.headerFields[.contentType])))
  }

  /// When it began, as uptime in nanoseconds.
  var begun: UInt64 { visit.begun }

  /// The path as it was sent, without the query.
  var path: Substring { head.pathWithoutQuery }

  /// A parameter of the query; nil if it is absent.
  func query(_ name: String) -> String? { RequestTarget(head.path ?? "")[name] }

  var known: Known { state.withLock(\.self) }

  /// A fault befalls the request.
  func suffers(_ fault: AppliedFault) { state.withLock { $0.fault = fault } }

  /// The server has answered.
  func learned(_ learned: Learned) { state.withLock { $0.learned = learned } }

  /// The operation of the edition whose key the request shows; nil if it is none.
  func operation() async -> EditionOperation? {
    if let known = state.withLock(\.lookedUpOperation) { return known }
    let operation = await visit.server.operation(of: head)
    state.withLock { $0.lookedUpOperation = .some(operation) }
    return operation
  }

  /// The account whose token the request shows, valid or expired; nil if it shows none.
  @discardableResult
  func account() async -> Learned.Account? {
    if let known = state.withLock(\.lookedUpAccount) { return known }
    let account = await visit.server.account(of: head)
    state.withLock { $0.lookedUpAccount = .some(account) }
    return account
  }

  /// The same request, of whose body is noted what the server reads.
  func watched(_ request: Request) -> Request {
    let fields = head.headerFields
    guard !isOfSocket, fields.contains(.contentLength) || fields.contains(.transferEncoding) else { return request }
    return Request(
      head: request.head, body: RequestBody(asyncSequence: WatchedBody(body: request.body, exchange: self)))
  }

  fileprivate func reads(_ bytes: ByteBuffer) { state.withLock { $0.body.add(bytes) } }
}

/// The body of a request, noted as it is read.
private struct WatchedBody: AsyncSequence, Sendable {
  let body: RequestBody
  let exchange: Exchange

  struct AsyncIterator: AsyncIteratorProtocol {
    var iterator: RequestBody.AsyncIterator
    let exchange: Exchange

    mutating func next() async throws -> ByteBuffer? {
      let bytes = try await iterator.next()
      if let bytes { exchange.reads(bytes) }
      return bytes
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(iterator: body.makeAsyncIterator(), exchange: exchange) }
}
