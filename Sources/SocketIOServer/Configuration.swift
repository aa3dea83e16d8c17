public import HTTPTypes
public import NIOCore
public import SocketIOProtocol

extension SocketIOServer {
  /// What a server allows and how long it waits. The defaults are those of Node's socket.io, except that Engine.IO 3
  /// clients are served and late POSTs are taken (`latePostTimeout`).
  public struct Configuration: Sendable {
    /// The path clients ask; it is matched as a prefix, and without its last slash as well.
    public var path = "/socket.io/"
    /// Connects this server with others, from `init` until `shutdown()`, so that broadcasts and requests reach the sockets of
    /// all. `nil`: it is alone, and keeps everything in memory.
    public var adapter: (any SocketIOAdapter)?
    /// How it watches the others.
    public var cluster = ClusterSettings()
    /// What the ids of this server's sessions begin with, a dot behind it, so that a proxy can tell by the `sid` of a
    /// request which server has the session. A request with the id of another node is answered as one with an unknown
    /// id. 1 to 16 letters, digits, `-` and `_` of ASCII. `nil`: ids have no node.
    public var node: String?
    /// From an answered ping to the next one.
    public var pingInterval: Duration = .seconds(25)
    /// How long a ping may stay unanswered before the session is closed.
    public var pingTimeout: Duration = .seconds(20)
    /// How long an upgrade to WebSocket may take before the new WebSocket is closed.
    public var upgradeTimeout: Duration = .seconds(10)
    /// How long after a client's probe its waiting GET is answered with a noop, and how often again until the upgrade is
    /// over. At least 1 ms. With less, socket.io-client-swift completes more upgrades before its POSTs arrive.
    public var upgradeNoopInterval: Duration = .milliseconds(100)
    /// How long after an upgrade POSTs that it overtook are taken; later ones are refused with 400. Until then a second
    /// CONNECT, or a DISCONNECT from a namespace that is not joined, does not close the session, whatever `conduct` says.
    /// Zero: no late POST is taken.
    public var latePostTimeout: Duration = .seconds(30)
    /// How long a session may stay without a namespace before it is closed.
    public var connectTimeout: Duration = .seconds(45)
    /// How long a WebSocket is sent nothing behind the answer to a CONNECT, so that the answer arrives alone. Clients that handle all
    /// messages of a read in one turn, as those on `ws` before version 8.17 do, may lose a first event otherwise if they begin to
    /// listen once they have the answer. Zero: there is no pause.
    public var connectPause: Duration = .milliseconds(5)
    /// How long a WebSocket may take to answer a close frame.
    public var closeTimeout: Duration = .seconds(5)
    /// The largest message and the largest POST body, in bytes. A larger message over WebSocket closes the session; a larger POST is
    /// answered 413, and the session stays.
    public var maxHTTPBufferSize = 1_000_000
    /// The most packets in one long-polling answer. python-engineio refuses more than 16.
    public var maxPacketsPerPoll = 16
    /// How packets travel. Clients must have the same parser.
    public var parser = SocketParser.json
    /// The most binary attachments of one event or acknowledgement. A session that sends more, or announces them, is closed with a
    /// parse error.
    public var maxAttachments = 10
    /// The most bytes that the attachments of one event may have together, as they are held until the last has come; a session that
    /// sends more is closed with a parse error. `nil`: as many as ``maxAttachments`` messages of ``maxHTTPBufferSize`` have, as in
    /// Node's socket.io.
    public var maxAttachmentBytes: Int?
    /// The most values of one packet: strings, numbers, booleans, nulls, arrays and objects. The array of an event and the event's
    /// name count as well, and so do nested values, each of which takes memory once it is decoded; keys of objects do not. A session
    /// that sends more is closed with a parse error, of which the log tells at the level `debug`.
    ///
    /// It bounds memory: an argument takes some 70 bytes more than its text, so that 1 MB of `0,` would become 36 MB, and 1 MB of
    /// nulls in MessagePack 76 MB.
    public var maxValuesPerPacket = 200_000
    /// What may wait for one client, in bytes, before it is closed as too slow.
    public var maxOutboundBytesPerSocket = 2_097_152
    /// The largest event, in bytes, that may wait for one client beside that, one at a time. A client that has not taken it after
    /// `pingInterval` and `pingTimeout` is closed, as is one for whom there is a larger one.
    public var maxLargeEventBytes = 16_777_216
    /// What may wait for one client of answers to its own packets (CONNECT, Engine.IO 3's ping), in bytes, before it is closed:
    /// it goes on asking and does not read.
    public var maxUnreadReplyBytes = 65_536
    /// The most namespaces one session may join or ask for at a time.
    public var maxNamespacesPerSession = 1000
    /// The most events of one socket that may wait for asynchronous middleware and listeners, counted once for each of these, before its
    /// session is closed.
    public var maxWaitingEvents = 1000
    /// The most bytes of events of one session that may wait for asynchronous middleware and listeners, or be worked on by them,
    /// before the session is closed. Each argument counts 64 bytes more than its text. An event that finds no other there may be
    /// larger, and does not count.
    public var maxWaitingEventBytes = 4_194_304
    /// The most sessions at a time; further handshakes are answered 503.
    public var maxSessions = 100_000
    /// The most log lines that clients may cause in a minute, by requests and packets that are refused. The next line
    /// says how many were left out.
    public var maxLogLinesPerMinute = 60
    /// Whether Engine.IO 3 clients (Socket.IO v1 and v2; `EIO` 3 or absent) are served.
    public var allowEIO3 = true
    /// The transports a client may use; with both, polling clients are offered the upgrade.
    public var transports: Set<EngineTransport> = [.polling, .webSocket]
    /// Whether a session that began with polling may go on over WebSocket.
    public var allowUpgrades = true
    /// Makes the ids of sessions: 18 to 64 letters, digits, `-` and `_` of ASCII, before which the server writes ``node`` and
    /// two characters of its own. Whoever knows the id of a session may speak for its client, so it must be as hard to guess
    /// as a password. What may not be an id, or already is one, is replaced by a random one, and logged. Called on an
    /// event loop: it must not block. `nil`: ids are random.
    public var sessionID: (@Sendable (OpeningRequest) -> String)?
    /// Which web pages may read the answers to their requests.
    public var cors = CrossOrigin.sameOrigin
    /// Which web pages may make requests at all, WebSockets and JSONP included; others are answered 403. `nil`: all, as
    /// in Node's socket.io.
    public var allowedOrigins: AllowedOrigins?
    /// The host and port that the client called, where a proxy says so that the application believes; `nil`: those of the request.
    /// Pages of that place are the server's own as well (``AllowedOrigins/own``). It must not block.
    public var forwardedAuthority: (@Sendable (_ headers: HTTPFields, _ peer: SocketAddress?) -> String?)?
    /// Whether polling by script tags and forms (`j=`) is served: any page can read its answers.
    public var allowJSONP = true
    /// The most bytes of header fields and query that the request may have which opens a session: the session keeps them.
    public var maxHandshakeBytes = 16 * 1024
    /// The most bytes of auth payloads that the sockets of one session may have together, which they keep; a CONNECT beyond is
    /// refused.
    public var maxAuthBytesPerSession = 1_048_576
    /// Set to let clients whose connection was lost return to their sockets.
    public var recovery: Recovery?
    /// Long-polling answers of at least this many bytes are compressed for clients that accept gzip or deflate, unless all that
    /// they hold was sent with `compress: false`. `nil`: none is.
    public var compressionThreshold: Int? = 1024
    /// Compresses WebSocket messages for clients that can take it. `nil`: none is.
    public var perMessageDeflate: PerMessageDeflate?
    /// The cookie set by the answer that opens a long-polling session. `nil`: none is.
    public var cookie: SessionCookie?
    /// Decides whether a request may open a session; without it every request may. It may take its time; it is
    /// cancelled when a WebSocket client goes away meanwhile.
    ///
    /// Most clients show their users nothing of an HTTP refusal: to refuse people, prefer `NamespaceHandlers.use`,
    /// whose message reaches them.
    public var allowRequest: (@Sendable (OpeningRequest) async -> Verdict)?
    /// Header fields for an answer over HTTP, that of a WebSocket's opening included, but not those of refusals; they take the
    /// place of the server's own with the same name, except for those that frame the answer, and for ``cookie``, which is set
    /// beside theirs. It must not block.
    public var responseFields: (@Sendable (EngineHTTPRequest) -> HTTPFields)?
    /// Told of requests that are refused with a code of Engine.IO: they name no session there is, are not valid, or were refused
    /// by `allowRequest`. It must not block.
    public var requestRefused: (@Sendable (RefusedRequest) -> Void)?
    /// Takes a place for a session where the application has limits of its own, for instance by address; what it answers
    /// is called once the session has ended. `nil` as the answer: there is none, and the handshake is answered 503.
    public var reserveSession: Reservation<OpeningRequest>?
    /// Takes room for a message of more than 16 KiB that is being received, up to `maxHTTPBufferSize`; what it answers is
    /// called once the message is complete or given up. Attachments that have come over a WebSocket while others of their event have
    /// not count as such a message.
    /// `nil` as the answer: there is none, and the session is closed.
    public var reserveMessage: Reservation<OpeningRequest>?
    /// Whose a connection of HTTP is, usually its address; `nil` as the answer for one that carries many people's
    /// requests, as a proxy's. `nil`: nobody's time on the event loops is counted.
    public var connectionOwner: (@Sendable (SocketAddress?) -> String?)?
    /// The part of an event loop's time, from 0 to 1, that reading for one owner and answering its HTTP requests may take while
    /// others send as well. What it sends beyond that waits, but for 2 KiB every 50 ms; answers under way are not stopped.
    public var maxLoopPart = 0.15
    /// Sees and disturbs what travels, in tests of clients. `nil`: nothing is looked at.
    public var packetInterceptor: PacketInterceptor?
    /// What becomes of packets that are well formed but out of place.
    public var conduct = SocketServerSession.Conduct.strict

    public init() {}

    /// Whether a text can be a ``node``.
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

  /// Takes a place, and answers how to give it back; `nil` if there is none.
  public typealias Reservation<Wish> = @Sendable (Wish) -> (@Sendable () -> Void)?

  /// Which web pages may use the server (CORS).
  public enum CrossOrigin: Sendable {
    /// No header is sent: pages of the same origin only.
    case sameOrigin
    /// `*`: every page, without credentials.
    case anyOrigin
    /// These origins, with credentials (cookies) if wanted.
    case origins(Set<String>, credentials: Bool)
  }
}
