public import SocketIOProtocol

extension SocketIOClient {
  public struct Configuration: Sendable {
    /// Where the server takes Engine.IO requests.
    public var path = "/socket.io/"
    /// How packets may travel, in the order in which it is tried: with polling first, a connection begins with it and is
    /// upgraded if WebSocket is in the list; with WebSocket first, polling is for where no WebSocket gets through.
    public var transports: [EngineTransport] = [.webSocket, .polling]
    /// The revision of Engine.IO: `v3` for servers of Socket.IO 2.
    public var revision = EngineRevision.v4
    /// Whether to return to the same sockets after a lost connection, where the server offers it (connection state
    /// recovery). Its offsets are taken out of the events.
    public var recovery = true
    /// Query items of the handshake, besides those of the protocol.
    public var query: [(String, String)] = []
    /// HTTP headers of the handshake.
    public var headers: [(String, String)] = []
    /// How long opening may take by one transport: TCP, TLS and the upgrade to WebSocket, and then again the server's
    /// open packet.
    public var connectTimeout: Duration = .seconds(20)
    /// The largest message accepted, in bytes; a larger one ends the connection.
    public var maxMessageBytes = 16 << 20
    /// The most binary attachments of one packet.
    public var maxAttachments = 10
    /// How many updates may wait for a slow reader of ``SocketIOClient/Updates``; beyond, the sequence fails.
    public var maxWaitingUpdates = 1024
    /// How many bytes may wait for a slow network before sending fails with ``SocketIOError/congested``.
    public var maxWaitingBytes = 1 << 20
    /// How many events may wait for their acknowledgement at once.
    public var maxWaitingAcks = 1024
    /// How long lost connections wait before they are opened again.
    public var backoff = Backoff()
    /// How many attempts in a row may fail before ``SocketIOClient/run()`` gives up; nil to go on for ever.
    public var maxAttempts: Int?

    public init() {}
  }

  /// Growing delays between attempts, spread at random so that clients do not come back all at once.
  public struct Backoff: Sendable {
    /// The delay after the first failure.
    public var first: Duration = .milliseconds(500)
    /// What each further failure multiplies the delay by.
    public var factor = 2.0
    /// The longest delay.
    public var longest: Duration = .seconds(10)
    /// The share of a delay that chance may add or take away, 0 to 1.
    public var jitter = 0.5

    public init() {}

    /// How long to wait.
    /// - Parameters:
    ///   - failures: How many attempts have failed in a row, at least 1.
    ///   - chance: 0 to 1.
    public func delay(after failures: Int, chance: Double) -> Duration {
      var delay = first
      for _ in 1..<max(1, failures) where delay < longest { delay = delay * factor }
      return min(delay, longest) * (1 + jitter * (2 * chance - 1))
    }
  }
}
