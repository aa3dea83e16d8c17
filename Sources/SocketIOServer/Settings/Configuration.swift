public import HTTPTypes
public import NIOCore
public import SocketIOProtocol

extension SocketIOServer {
  /// The settings of a server. The defaults are those of Node's socket.io, except that Engine.IO 3 clients and late POSTs
  /// (`latePostTimeout`) are accepted.
  public struct Configuration: Sendable {
    /// The path of the server. It matches as a prefix, and also without its last slash.
    public var path = "/socket.io/"
    /// Connects this server with others, from `init` until `shutdown()`, so that broadcasts and requests reach the sockets of all. `nil`:
    /// the server is alone and keeps everything in memory.
    public var adapter: (any SocketIOAdapter)?
    /// How it monitors the other servers.
    public var cluster = ClusterSettings()
    /// A prefix of this server's session ids, followed by a dot, by which a proxy can route a request with a `sid` to the server that has
    /// the session. A request with another node's id is answered like one with an unknown id. 1 to 16 ASCII letters, digits, `-` and `_`.
    /// `nil`: ids have no prefix.
    public var node: String?
    /// The time from an answered ping to the next ping.
    public var pingInterval: Duration = .seconds(25)
    /// How long a ping may stay unanswered before the session is closed.
    public var pingTimeout: Duration = .seconds(20)
    /// How long an upgrade to WebSocket may take before the new WebSocket is closed.
    public var upgradeTimeout: Duration = .seconds(10)
    /// How long after a client's probe its waiting GET is answered with a noop, and how often this repeats until the upgrade is complete.
    /// At least 1 ms. With shorter intervals, socket.io-client-swift completes more upgrades before its POSTs arrive.
    public var upgradeNoopInterval: Duration = .milliseconds(100)
    /// How long after an upgrade delayed POSTs are accepted; later ones are refused with 400. During this time a second CONNECT, or a
    /// DISCONNECT from a namespace that was not joined, does not close the session, even if `conduct` is strict. Zero: no late POST is
    /// accepted.
    public var latePostTimeout: Duration = .seconds(30)
    /// How long a session may stay without a namespace before it is closed.
    public var connectTimeout: Duration = .seconds(45)
    /// How long nothing else is sent over a WebSocket after the answer to a CONNECT, so that the answer arrives alone. Some clients, such
    /// as those with `ws` before version 8.17, handle all messages of a read in one turn, and lose an event if they add the listener after
    /// the answer. Zero: no pause.
    public var connectPause: Duration = .milliseconds(5)
    /// How long a WebSocket may take to answer a close frame.
    public var closeTimeout: Duration = .seconds(5)
    /// The largest message and the largest POST body, in bytes. A larger message over WebSocket closes the session; a larger POST is
    /// answered 413, and the session stays.
    public var maxHTTPBufferSize = 1_000_000
    /// The most packets in one long-polling answer. python-engineio refuses more than 16.
    public var maxPacketsPerPoll = 16
    /// How packets are encoded. Clients must use the same parser.
    public var parser = SocketParser.json
    /// The most binary attachments of one event or acknowledgement. A session that sends or announces more is closed with a parse error.
    public var maxAttachments = 10
    /// The most bytes of all attachments of one event, which are held in memory until the last one arrives. A session that sends more is
    /// closed with a parse error. `nil`: ``maxAttachments`` times ``maxHTTPBufferSize``, as in Node's socket.io.
    public var maxAttachmentBytes: Int?
    /// The most values in one packet: strings, numbers, booleans, nulls, arrays and objects. The array of an event, the event's name and
    /// nested values count too, because each takes memory once it is decoded; object keys do not count. A session that sends more is closed
    /// with a parse error, which is logged at level `debug`.
    ///
    /// It limits memory: an argument takes about 70 bytes more than its text, so that 1 MB of `0,` would become 36 MB, and 1 MB of nulls in
    /// MessagePack 76 MB.
    public var maxValuesPerPacket = 200_000
    /// The most bytes that may wait for one client, before it is closed as too slow.
    public var maxOutboundBytesPerSocket = 2_097_152
    /// The largest event, in bytes, that may wait for one client beyond ``maxOutboundBytesPerSocket``, one at a time. A client that has not
    /// received it after `pingInterval` plus `pingTimeout` is closed; so is a client for which a larger event is sent.
    public var maxLargeEventBytes = 16_777_216
    /// The most bytes of unread replies to a client's own packets (CONNECT, Engine.IO 3's ping), before the client is closed because it
    /// sends requests but does not read.
    public var maxUnreadReplyBytes = 65_536
    /// The most namespaces that one session may have joined or requested at a time.
    public var maxNamespacesPerSession = 1000
    /// The most events of one socket that may wait for asynchronous middleware and listeners, before its session is closed. An event counts
    /// once for each of these.
    public var maxWaitingEvents = 1000
    /// The most bytes of a session's events that asynchronous middleware and listeners have not completed, before the session is closed.
    /// Each argument counts 64 bytes more than its text. An event that arrives while no other is pending may be larger, and does not count.
    public var maxWaitingEventBytes = 4_194_304
    /// The most sessions at a time; further handshakes are answered 503.
    public var maxSessions = 100_000
    /// The most log lines per minute that clients may cause by requests and packets that are refused. The next line reports how many were
    /// left out.
    public var maxLogLinesPerMinute = 60
    /// Whether Engine.IO 3 clients (Socket.IO v1 and v2; `EIO` 3 or absent) are served.
    public var allowEIO3 = true
    /// The transports that clients may use. If both are allowed, polling clients are offered the upgrade.
    public var transports: Set<EngineTransport> = [.polling, .webSocket]
    /// Whether a session that began with polling may upgrade to WebSocket.
    public var allowUpgrades = true
    /// Makes the ids of sessions: 18 to 64 ASCII letters, digits, `-` and `_`. The server puts ``node`` and two characters of its own in
    /// front. A client that knows a session's id can act for that session, so ids must be as hard to guess as passwords. An invalid id, or
    /// one that is in use, is replaced by a random one and logged. Called on an event loop: it must not block. `nil`: ids are random.
    public var sessionID: (@Sendable (OpeningRequest) -> String)?
    /// The web pages that may read the answers to their requests.
    public var cors = CrossOrigin.sameOrigin
    /// The web pages that may make requests at all, including WebSockets and JSONP; others are answered 403. `nil`: all pages, as in Node's
    /// socket.io.
    public var allowedOrigins: AllowedOrigins?
    /// The host and port that the client called, as reported by a proxy that the application trusts; `nil`: those of the request. Pages of
    /// that host and port are the server's own as well (``AllowedOrigins/own``). It must not block.
    public var forwardedAuthority: (@Sendable (_ headers: HTTPFields, _ peer: SocketAddress?) -> String?)?
    /// Whether JSONP polling (`j=`) is served. Any page can read its answers.
    public var allowJSONP = true
    /// The most bytes of header fields and query in the request that opens a session. The session keeps them.
    public var maxHandshakeBytes = 16 * 1024
    /// The most bytes of auth payloads that the sockets of one session keep together. A CONNECT that would exceed it is refused.
    public var maxAuthBytesPerSession = 1_048_576
    /// Set it to let clients return to their sockets after a lost connection.
    public var recovery: Recovery?
    /// The smallest long-polling answer, in bytes, that is compressed for clients that accept gzip or deflate. An answer that holds only
    /// packets sent with `compress: false` is not compressed. `nil`: no answer is.
    public var compressionThreshold: Int? = 1024
    /// Compresses WebSocket messages for clients that support it. `nil`: none is compressed.
    public var perMessageDeflate: PerMessageDeflate?
    /// The cookie set by the answer that opens a long-polling session. `nil`: no cookie.
    public var cookie: SessionCookie?
    /// Decides whether a request may open a session; by default every request may. It may wait. It is cancelled if a WebSocket client
    /// disconnects meanwhile.
    ///
    /// Most clients do not show their users an HTTP refusal. To refuse people, prefer `NamespaceHandlers.use`, whose message reaches them.
    public var allowRequest: (@Sendable (OpeningRequest) async -> Verdict)?
    /// Header fields for an HTTP answer, including that of a WebSocket's opening, but excluding refusals. They replace the server's own
    /// fields with the same names, except fields that frame the answer, and ``cookie``, which is set in addition to theirs. It must not
    /// block.
    public var responseFields: (@Sendable (EngineHTTPRequest) -> HTTPFields)?
    /// Called for requests that are refused with an Engine.IO error code: they name an unknown session, are invalid, or were refused by
    /// `allowRequest`. It must not block.
    public var requestRefused: (@Sendable (RefusedRequest) -> Void)?
    /// Reserves capacity for a session, for an application with its own limits, for instance by address. The returned closure is called
    /// when the session has ended. If it returns `nil`, the handshake is answered 503.
    public var reserveSession: Reservation<OpeningRequest>?
    /// Reserves capacity for a message of more than 16 KiB that is being received, up to `maxHTTPBufferSize`. The returned closure is
    /// called when the message is complete or abandoned. The attachments of an event that arrive over a WebSocket count as such a message
    /// until the last one has arrived. If it returns `nil`, the session is closed.
    public var reserveMessage: Reservation<OpeningRequest>?
    /// The owner of an HTTP connection, usually its address. It returns `nil` for a connection that carries many people's requests, such as
    /// a proxy's. `nil`: time on the event loops is not counted by owner.
    public var connectionOwner: (@Sendable (SocketAddress?) -> String?)?
    /// The part of an event loop's time, from 0 to 1, that reading for one owner and answering its HTTP requests may take while others send
    /// as well. Input beyond that waits, except 2 KiB every 50 ms; answers in progress are not stopped.
    public var maxLoopPart = 0.15
    /// How packets are handled that are well formed but out of place.
    public var conduct = SocketServerSession.Conduct.strict

    public init() {}

    /// Whether a text is a valid ``node``.
    public static func isNode(_ name: String) -> Bool { SessionID.isNode(name) }

    var engineSettings: EngineServerSession.Settings {
      EngineServerSession.Settings(
        pingInterval: pingInterval.milliseconds, pingTimeout: pingTimeout.milliseconds,
        upgradeTimeout: upgradeTimeout.milliseconds, latePostTimeout: latePostTimeout.milliseconds)
    }

    var socketSettings: SocketServerSession.Settings {
      SocketServerSession.Settings(
        conduct: conduct, parser: parser, maxAttachments: maxAttachments,
        maxAttachmentBytes: maxAttachmentBytes ?? .max, maxValues: maxValuesPerPacket,
        maxNamespaces: maxNamespacesPerSession)
    }
  }

  /// Reserves capacity, and returns the closure that releases it; `nil` if there is none.
  public typealias Reservation<Wish> = @Sendable (Wish) -> (@Sendable () -> Void)?

  /// Which web pages may use the server (CORS).
  public enum CrossOrigin: Sendable {
    /// Sends no header: only pages of the same origin.
    case sameOrigin
    /// `*`: every page, without credentials.
    case anyOrigin
    /// These origins, optionally with credentials (cookies).
    case origins(Set<String>, credentials: Bool)
  }
}
