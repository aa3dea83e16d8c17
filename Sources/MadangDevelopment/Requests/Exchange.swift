import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangServer
import NIOCore
import SocketIOServer
import Synchronization

/// An HTTP request in progress, with the facts known so far.
package final class Exchange: Sendable {
  /// The facts known so far.
  struct Known: Sendable {
    fileprivate var lookedUpOperation: EditionOperation??
    fileprivate var lookedUpAccount: Learned.Account??
    fileprivate(set) var fault: AppliedFault?
    /// The part that the server has read.
    fileprivate(set) var body: BodyRecord
    fileprivate(set) var learned: Learned?
    /// The number of its entry in the journal, once it has finished.
    fileprivate(set) var entry: Int?

    var operation: EditionOperation? { learned?.operation ?? lookedUpOperation ?? nil }
    var account: Learned.Account? { learned?.account ?? lookedUpAccount ?? nil }
  }

  let head: HTTPRequest
  /// Whether the request belongs to a socket, for example long-polling.
  let isOfSocket: Bool
  /// The connection of the request.
  let channel: any NIOCore.Channel
  /// Its start, in milliseconds of the server's clock.
  let at: Int64
  let lease: ServerLease
  private let state: Mutex<Known>

  /// - Parameter lease: Began before `at` was read: a reset sets the clock before it lets another lease begin.
  init(_ head: HTTPRequest, over channel: any NIOCore.Channel, at moment: Int64, _ lease: ServerLease) {
    (self.head, self.channel, at, self.lease) = (head, channel, moment, lease)
    isOfSocket = lease.server.socketIO.isSocketPath(head.pathWithoutQuery)
    state = Mutex(Known(body: BodyRecord(contentType: head.headerFields[.contentType])))
  }

  /// Its start, by uptime in nanoseconds.
  var begun: UInt64 { lease.begun }

  /// The path as sent, without the query.
  var path: Substring { head.pathWithoutQuery }

  /// A parameter of the query; nil if it is absent.
  func query(_ name: String) -> String? { RequestTarget(head.path ?? "")[name] }

  var known: Known { state.withLock(\.self) }

  /// A fault applies to the request.
  func suffers(_ fault: AppliedFault) { state.withLock { $0.fault = fault } }

  /// The server has answered.
  func learned(_ learned: Learned) { state.withLock { $0.learned = learned } }

  /// The journal has an entry for it.
  func recorded(as entry: Int) { state.withLock { $0.entry = entry } }

  /// The request's operation in the edition of its key; nil if it is not an operation.
  func operation() async -> EditionOperation? {
    if let known = state.withLock(\.lookedUpOperation) { return known }
    let operation = await lease.server.operation(of: head)
    state.withLock { $0.lookedUpOperation = .some(operation) }
    return operation
  }

  /// The account of the request's token, valid or expired; nil without a token.
  @discardableResult
  func account() async -> Learned.Account? {
    if let known = state.withLock(\.lookedUpAccount) { return known }
    let account = await lease.server.account(of: head)
    state.withLock { $0.lookedUpAccount = .some(account) }
    return account
  }

  /// The request with a body that is recorded as the server reads it.
  func watched(_ request: Request) -> Request {
    let fields = head.headerFields
    guard !isOfSocket, fields.contains(.contentLength) || fields.contains(.transferEncoding) else { return request }
    return Request(
      head: request.head, body: RequestBody(asyncSequence: WatchedBody(body: request.body, exchange: self)))
  }

  fileprivate func reads(_ bytes: ByteBuffer) { state.withLock { $0.body.add(bytes) } }
}

/// The body of a request, recorded as it is read.
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
