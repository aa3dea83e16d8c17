import NIOCore
import SocketIOProtocol

extension SocketIOClient {
  typealias Feed = AsyncThrowingStream<Update, any Error>.Continuation

  /// Makes the auth payload of a CONNECT, a JSON object. It is called for each connection, because credentials expire.
  public typealias Credentials = @Sendable () async throws -> [UInt8]

  enum Auth {
    case payload([UInt8])
    case credentials(Credentials)
  }

  /// A namespace that the application wants to be in.
  struct Membership {
    /// The reader of all updates of the namespace.
    var feed: Feed?
    var feedID: Int
    var auth: Auth
    /// Events to send once the namespace is joined.
    var buffer = OfflineBuffer()
    /// Events that are sent again until they are acknowledged.
    var queue = RetryQueue()
    /// Ends the current try.
    var tryTimer: Scheduled<Void>?
    /// The last sent event of the queue, and its connection.
    var lastTry: (connection: Int, id: AckID)?
    /// Whether the server has ever let this client join.
    var wasJoined = false
  }

  /// A caller that waits until the namespace is joined.
  struct Joining {
    let id: Int
    let namespace: String
    let continuation: CheckedContinuation<Void, any Error>
  }
}
