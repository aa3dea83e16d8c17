public import SocketIOProtocol

extension SocketIOClient {
  public struct Configuration: Sendable {
    /// The server's path for Engine.IO requests.
    public var path = "/socket.io/"
    /// The allowed transports, in the order in which they are tried. With polling first, a connection begins with it and is upgraded if
    /// WebSocket is in the list. With WebSocket first, polling is used if no WebSocket can be opened.
    public var transports: [EngineTransport] = [.webSocket, .polling]
    /// The revision of Engine.IO: `v3` for servers of Socket.IO 2.
    public var revision = EngineRevision.v4
    /// How packets are encoded. The server must use the same parser.
    public var parser = SocketParser.json
    /// Whether to return to the same sockets after a lost connection, if the server offers it (connection state recovery). The server's
    /// offsets are removed from the events.
    public var recovery = true
    /// Query items of the handshake, in addition to those of the protocol.
    public var query: [(String, String)] = []
    /// HTTP headers of the handshake.
    public var headers: [(String, String)] = []

    // MARK: The network

    /// The trusted authorities, and the client's certificate, for `https` and `wss`.
    public var tls = TLS()
    /// The proxy through which both transports connect; nil for none.
    public var proxy: Proxy?
    /// The most cookies of the server that are kept, so that a load balancer finds the session's server; further cookies displace the
    /// oldest. 0: none. Cookies arrive with answers to polling, and are sent with every later request to the same server.
    public var maxCookies = 32
    /// The most bytes of the names and values of these cookies together.
    public var maxCookieBytes = 8192
    /// Time limit for opening one transport: for TCP, then again for the proxy, TLS and the upgrade to WebSocket together, and then again
    /// for the server's open packet.
    public var connectTimeout: Duration = .seconds(20)
    /// The delays before reconnecting.
    public var backoff = Backoff()
    /// How many attempts in a row may fail before ``SocketIOClient/run()`` gives up; nil means no limit. With 0, the client does not
    /// reconnect after the first connection has ended.
    public var maxAttempts: Int?

    // MARK: Sending

    /// How often an unacknowledged event is sent again. Above 0, the events of a namespace, except volatile ones, are sent one at a time,
    /// each after the previous one was acknowledged: see <doc:Delivery>.
    public var retries = 0
    /// How long to wait for an acknowledgement by default; with `retries`, for each try.
    public var ackTimeout: Duration = .seconds(30)
    /// The most events of one namespace in the queue while `retries` is above 0. Beyond that, emits throw ``SocketIOError/full(limit:)``.
    public var maxQueuedEvents = 1024
    /// The most bytes of the events in this queue.
    public var maxQueuedBytes = 1 << 20
    /// The most events of one namespace that are kept while it is not joined. Beyond that, emits throw ``SocketIOError/full(limit:)``. With
    /// 0 none is kept, and emits throw ``SocketIOError/notConnected``.
    public var maxOfflineEvents = 256
    /// The most bytes of these kept events.
    public var maxOfflineBytes = 1 << 20
    /// The most bytes that may wait for a slow network, before sending fails with ``SocketIOError/congested``.
    public var maxWaitingBytes = 1 << 20
    /// The most events that may wait for their acknowledgement at once.
    public var maxWaitingAcks = 1024

    // MARK: Receiving

    /// The largest message accepted, in bytes; a larger one ends the connection.
    public var maxMessageBytes = 16 << 20
    /// The most binary attachments of one packet. A packet that has or announces more ends the connection with a parse error; the client
    /// then reconnects.
    public var maxAttachments = 10
    /// The most values in one packet: strings, numbers, booleans, nulls, arrays and objects. The array of an event, the event's name and
    /// nested values count too, because each takes memory once it is decoded; object keys do not count. A packet with more ends the
    /// connection with a parse error, reported as `.ended` by ``SocketIOClient/connectionEvents()``; the client then reconnects. It limits
    /// memory: an argument takes about 70 bytes more than its text.
    public var maxValuesPerPacket = 1_000_000
    /// How many updates may wait for a slow reader of one of this client's sequences; beyond that, the sequence fails.
    public var maxWaitingUpdates = 1024

    public init() {}

    /// The longest duration of a timer, or of a sum of durations.
    private static let longest = Duration.seconds(365 * 24 * 3600)

    /// The settings, clamped to values that the network code accepts without trapping.
    var clamped: Self {
      var clamped = self
      clamped.connectTimeout = min(max(connectTimeout, .zero), Self.longest)
      clamped.ackTimeout = min(max(ackTimeout, .zero), Self.longest)
      // Half of it is the low water mark, which must be above 0.
      clamped.maxWaitingBytes = max(maxWaitingBytes, 2)
      clamped.maxMessageBytes = min(max(maxMessageBytes, 1), Int(UInt32.max))
      return clamped
    }
  }
}
