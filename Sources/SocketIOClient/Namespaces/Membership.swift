import NIOCore
import SocketIOProtocol

extension SocketIOClient {
  typealias Feed = AsyncThrowingStream<Update, any Error>.Continuation

  /// Makes the auth payload of a connect, a JSON object; called for each connection anew, for credentials that age.
  public typealias Credentials = @Sendable () async throws -> [UInt8]

  enum Auth {
    case payload([UInt8])
    case credentials(Credentials)
  }

  /// A namespace somebody wants to be in.
  struct Membership {
    /// Who reads everything that happens in it.
    var feed: Feed?
    var feedID: Int
    var auth: Auth
    /// What is sent once it is joined.
    var buffer = OfflineBuffer()
    /// What is sent until it is acknowledged.
    var queue = RetryQueue()
    /// Ends the try that is under way.
    var tryTimer: Scheduled<Void>?
    /// The event of the queue that was sent last, and by which connection.
    var lastTry: (connection: Int, id: AckID)?
    /// Whether the server has ever let this client in.
    var wasJoined = false
  }

  /// Somebody who waits to be let in.
  struct Joining {
    let id: Int
    let namespace: String
    let continuation: CheckedContinuation<Void, any Error>
  }
}
