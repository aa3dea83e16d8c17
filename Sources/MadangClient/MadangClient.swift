import AsyncHTTPClient
import Logging
import MadangAPI
import NIOCore
import SocketIOClient

/// One person's way into one Madang server: typed calls of edition 2024-10, files, and live rooms.
///
/// Safe to share between tasks. An access token that has expired is renewed once, however many calls fail
/// together, and each of those calls is repeated once. Call ``close()`` when done; live sequences must have ended.
public final class MadangClient: Sendable {
  public let configuration: Configuration
  let session: Session
  let http: Transport
  let logger: Logger

  /// - Parameters:
  ///   - configuration: The server, the API key and limits.
  ///   - store: Where the session's tokens are kept between runs; in memory only by default.
  ///   - logger: Told of what goes wrong without anybody noticing.
  public init(
    configuration: Configuration, store: SessionStore = .inMemory, logger: Logger = Logger(label: "madang.client")
  ) {
    self.configuration = configuration
    self.logger = logger
    http = Transport(configuration)
    session = Session(store: store, http: http)
  }

  /// Whether there are tokens to call with. They may turn out to be revoked or expired for good.
  public var isSignedIn: Bool {
    get async { await session.isSignedIn }
  }

  /// Closes the connections; calls under way fail.
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
    /// How long a connection may take to open.
    public var connectTimeout: Duration = .seconds(10)
    /// How long a call without a file may take until its answer begins.
    public var callTimeout: Duration = .seconds(30)
    /// How long a call that carries a file, up or down, may take until its answer begins.
    public var transferTimeout: Duration = .seconds(1800)
    /// How long an answer that has begun may pause before the call fails as ``MadangError/unreachable(host:reason:)``.
    public var readTimeout: Duration = .seconds(30)
    /// The largest JSON answer accepted, in bytes; ``MadangClient/history(of:after:)`` comes in one.
    public var maxAnswerBytes = 256 << 20
    /// How many chats of a history that streams in are held, stored and shown at a time; a cut costs at most as many.
    public var historyPage = 500
    /// The largest chat accepted in a history that streams in, in bytes of JSON.
    public var maxChatBytes = 1 << 20
    /// How far back from now a ``Room`` looks for its last page, one after another until there is one, while a long
    /// history is still being read for the first time.
    public var lookBacks: [Duration] = [.seconds(600)] + [1, 10, 100, 1000].map { .seconds($0 * 86_400) }
    /// How many live events may wait for a reader; one that falls behind further catches up from the history.
    public var maxWaitingEvents = 1024
    /// How long lost connections wait before they are opened again, and failed chats before they are sent again.
    public var backoff = SocketIOClient.Backoff()
    /// How many calls of one's own making travel at a time when one question needs many (``MadangClient/unread(in:)``).
    public var maxParallelCalls = 8
    /// How many chats a ``Room`` reads from the local history at a time.
    public var roomPage = 50
    /// How many chats may wait to be sent to one room.
    public var maxPendingChats = 100
    /// How long after a lost answer a server may still be busy with the request. Longer makes it less likely that a
    /// chat is posted twice, and sent later when it was not posted.
    public var settleTime: Duration = .seconds(3)

    public init(server: String, apiKey: String) {
      self.server = server.hasSuffix("/") ? String(server.dropLast()) : server
      self.apiKey = apiKey
    }
  }
}
