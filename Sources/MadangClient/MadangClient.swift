import AsyncHTTPClient
import Logging
import MadangAPI
import NIOCore
import SocketIOClient

/// A client of one Madang server for one account: typed calls of edition 2024-10, files, and live rooms.
///
/// It may be shared between tasks. An expired access token is renewed once, however many calls fail at the same time, and each of those
/// calls is repeated once. Its connections end with ``close()``, or with the last reference to it.
public final class MadangClient: Sendable {
  public let configuration: Configuration
  let session: Session
  let http: Transport
  let logger: Logger

  /// - Parameters:
  ///   - configuration: The server, the API key and limits.
  ///   - store: Where the session's tokens are kept between runs; in memory only by default.
  ///   - logger: Logs errors that are not reported in another way.
  public init(
    configuration: Configuration, store: SessionStore = .inMemory, logger: Logger = Logger(label: "madang.client")
  ) {
    self.configuration = configuration
    self.logger = logger
    http = Transport(configuration)
    session = Session(store: store, http: http)
  }

  /// Whether there are tokens. They may turn out to be revoked or permanently expired.
  public var isSignedIn: Bool {
    get async { await session.isSignedIn }
  }

  /// Closes the connections. Calls in progress fail.
  public func close() async throws {
    try await http.close()
  }
}

extension MadangClient {
  public struct Configuration: Sendable {
    /// The server's origin, such as `http://127.0.0.1:8080`, without a trailing slash.
    public var server: String
    /// The `SesacKey` of the application.
    public var apiKey: String
    /// Certificate authorities to trust in addition to the system's; nil for none.
    public var authorities: Authorities?
    /// Time limit for opening a connection.
    public var connectTimeout: Duration = .seconds(10)
    /// Time limit for a call without a file, until its answer begins.
    public var callTimeout: Duration = .seconds(30)
    /// Time limit for an upload or download, until its answer begins.
    public var transferTimeout: Duration = .seconds(1800)
    /// How long an answer in progress may pause, before the call fails with ``MadangError/unreachable(host:reason:)``.
    public var readTimeout: Duration = .seconds(30)
    /// The largest JSON answer accepted, in bytes. ``MadangClient/history(of:after:)`` is one answer.
    public var maxAnswerBytes = 256 << 20
    /// How many chats of a streamed history are held, stored and shown at a time. An interruption loses at most this many.
    public var historyPage = 500
    /// The largest chat in a streamed history, in bytes of JSON.
    public var maxChatBytes = 1 << 20
    /// While a ``Room`` reads a long history for the first time, it looks for its last page this far back from now, one duration after
    /// another until there is a page.
    public var lookBacks: [Duration] = [.seconds(600)] + [1, 10, 100, 1000].map { .seconds($0 * 86_400) }
    /// How many live events may wait for a reader. A reader that falls behind further catches up from the history.
    public var maxWaitingEvents = 1024
    /// The delays before lost connections are reopened, and before failed chats are sent again.
    public var backoff = SocketIOClient.Backoff()
    /// The most concurrent calls for one question that needs many calls (``MadangClient/unread(in:)``).
    public var maxParallelCalls = 8
    /// How many chats a ``Room`` reads from the local history at a time.
    public var roomPage = 50
    /// The most chats that may wait to be sent to one room.
    public var maxPendingChats = 100
    /// How long a server may still be working on a request after its answer was lost. A longer time makes duplicate posts less likely, but
    /// delays resending.
    public var settleTime: Duration = .seconds(3)

    public init(server: String, apiKey: String) {
      self.server = server.hasSuffix("/") ? String(server.dropLast()) : server
      self.apiKey = apiKey
    }
  }
}
