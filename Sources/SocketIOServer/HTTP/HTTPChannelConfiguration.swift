public import NIOCore

extension SocketIOServer {
  /// Settings of a listener's HTTP/1 connections.
  public struct HTTPChannelConfiguration: Sendable {
    #if TLS
      /// Makes connections use TLS. `nil`: they use plain HTTP, and a proxy in front may use TLS. Requires the package trait `TLS`.
      public var tls: TLSCertificate?
    #endif
    /// For `httpServer`: whether the application answers requests on the event loop of their connection, like the server itself. It saves
    /// two thread switches for each request. The application must not block then, because all sockets of the loop would wait; code that is
    /// isolated to an actor with its own executor, or `@concurrent`, runs elsewhere. Only code that runs on the loop counts as its owner's
    /// time (`maxLoopPart`).
    public var respondsOnEventLoop = false
    /// Closes a connection that is idle between requests. It must be longer than the idle timeout of proxies, usually 60 s and at most 120
    /// s: if this side closed first, requests that the proxy is just sending would be lost. `nil`: never.
    public var idleTimeout: Duration? = .seconds(125)
    /// Closes a connection that the client keeps open after the last response. `nil`: never.
    public var lingerTimeout: Duration? = .seconds(60)
    /// How long a request may take to arrive, in addition to the time that its bytes need at `minBytesPerSecond`, and how long a client may
    /// read nothing of an answer. Then the connection is closed. `nil`: no limit.
    public var stallTimeout: Duration? = .seconds(60)
    /// The slowest rate, in bytes per second, at which a request may arrive for longer than `stallTimeout`.
    public var minBytesPerSecond = 1024
    /// The most connections at a time; further ones are closed at once.
    public var maxConnections = 100_000
    /// Reserves capacity for a connection, for an application with its own limits, for instance by address. The returned closure is called
    /// when the connection is closed. If it returns `nil`, the connection is closed at once. For a connection with a PROXY header it is
    /// called twice: for the proxy when it connects, and for the client that the header names.
    public var reserveConnection: Reservation<SocketAddress?>?
    /// Whether a peer is a proxy that begins its connections with a PROXY header, version 1 or 2. Requests then have the client's address as
    /// `X-Forwarded-For`, and only what the proxy says; a connection of such a peer without a header is closed. `nil`: no peer is.
    public var expectsProxyHeader: (@Sendable (SocketAddress?) -> Bool)?
    /// The longest single header field, in bytes.
    public var maxHeaderFieldSize = 16 * 1024
    /// The longest head of a request, in bytes.
    public var maxHeaderListSize = 64 * 1024
    /// The most header fields of a request.
    public var maxHeaderFieldCount = 200
    /// How many requests of a connection may wait behind earlier ones. If one more arrives, the waiting ones are answered, and the
    /// connection is closed. Does not apply to `httpServer`.
    public var maxPipelinedRequests = 128

    public init() {}

    /// Whether connections speak TLS.
    var isSecure: Bool {
      #if TLS
        tls != nil
      #else
        false
      #endif
    }
  }
}
