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
    /// How packets travel. The server must have the same parser.
    public var parser = SocketParser.json
    /// Whether to return to the same sockets after a lost connection, where the server offers it (connection state
    /// recovery). Its offsets are taken out of the events.
    public var recovery = true
    /// Query items of the handshake, besides those of the protocol.
    public var query: [(String, String)] = []
    /// HTTP headers of the handshake.
    public var headers: [(String, String)] = []

    // MARK: The network

    /// Whom to trust, and how the client shows who it is, where the URL is `https` or `wss`.
    public var tls = TLS()
    /// The proxy through which both transports connect; nil for none.
    public var proxy: Proxy?
    /// How many of the server's cookies are remembered, so that a load balancer finds the session's server; further ones push
    /// out the oldest. 0: none. They come with answers to polling, and go with every later request to the same server.
    public var maxCookies = 32
    /// How many bytes the names and values of those cookies may have together.
    public var maxCookieBytes = 8192
    /// How long opening may take by one transport: TCP, and then the proxy, TLS and the upgrade to WebSocket, and then
    /// again the server's open packet.
    public var connectTimeout: Duration = .seconds(20)
    /// How long lost connections wait before they are opened again.
    public var backoff = Backoff()
    /// How many attempts in a row may fail before ``SocketIOClient/run()`` gives up; nil to go on for ever. With 0, the
    /// end of the first connection is final.
    public var maxAttempts: Int?

    // MARK: Sending

    /// How often an event that was not acknowledged is sent again. Above 0, the events of a namespace, but not volatile
    /// ones, go out one at a time, each after the former was acknowledged: see <doc:Delivery>.
    public var retries = 0
    /// How long an acknowledgement is waited for where an emit says nothing else; with `retries`, by each try.
    public var ackTimeout: Duration = .seconds(30)
    /// How many events of one namespace may wait for their turn while `retries` is above 0. Beyond,
    /// ``SocketIOError/full(limit:)``.
    public var maxQueuedEvents = 1024
    /// How many bytes those may have together.
    public var maxQueuedBytes = 1 << 20
    /// How many events of one namespace are kept while it is not joined. Beyond, ``SocketIOError/full(limit:)``; 0 keeps
    /// none, and emits throw ``SocketIOError/notConnected``.
    public var maxOfflineEvents = 256
    /// How many bytes those may have together.
    public var maxOfflineBytes = 1 << 20
    /// How many bytes may wait for a slow network before sending fails with ``SocketIOError/congested``.
    public var maxWaitingBytes = 1 << 20
    /// How many events may wait for their acknowledgement at once.
    public var maxWaitingAcks = 1024

    // MARK: Receiving

    /// The largest message accepted, in bytes; a larger one ends the connection.
    public var maxMessageBytes = 16 << 20
    /// The most binary attachments of one packet. One that has more, or announces them, ends the connection with a parse error; the
    /// client then connects again.
    public var maxAttachments = 10
    /// The most values of one packet: strings, numbers, booleans, nulls, arrays and objects. The array of an event and the event's
    /// name count as well, and so do nested values, each of which takes memory once it is decoded; keys of objects do not. A packet
    /// with more ends the connection with a parse error, which `.ended` of ``SocketIOClient/connectionEvents()`` tells; the client
    /// then connects again. It bounds memory: an argument takes some 70 bytes more than its text.
    public var maxValuesPerPacket = 1_000_000
    /// How many updates may wait for a slow reader of a sequence of this client; beyond, the sequence fails.
    public var maxWaitingUpdates = 1024

    public init() {}

    /// The longest time that timers and sums of times take.
    private static let longest = Duration.seconds(365 * 24 * 3600)

    /// The same, with what the network's code would trap at brought into its bounds.
    var clamped: Self {
      var clamped = self
      clamped.connectTimeout = min(max(connectTimeout, .zero), Self.longest)
      clamped.ackTimeout = min(max(ackTimeout, .zero), Self.longest)
      // Half of it is the low water mark, which has to be above 0.
      clamped.maxWaitingBytes = max(maxWaitingBytes, 2)
      clamped.maxMessageBytes = min(max(maxMessageBytes, 1), Int(UInt32.max))
      return clamped
    }
  }
}
