public import NIOCore

extension SocketIOServer {
  /// Settings of a listener's HTTP/1 connections.
  public struct HTTPChannelConfiguration: Sendable {
    #if TLS
      /// Has connections speak TLS. `nil`: they speak plain HTTP, and a proxy in front may speak TLS. It needs the package's trait `TLS`.
      public var tls: TLSCertificate?
    #endif
    /// For `httpServer`: whether the application answers requests on the event loop of their connection, as the server itself does with those for
    /// sockets then: it saves two changes of thread for each. The application must not block then, as all sockets of the
    /// loop would wait; what is isolated to an actor with an executor of its own, or `@concurrent`, leaves the loop by itself.
    /// Only what runs there counts as its owner's time (`maxLoopPart`).
    public var respondsOnEventLoop = false
    /// Closes a connection that is idle between requests. Longer than proxies keep theirs, 60 s mostly and 120 s at most: the side
    /// that sends requests has to close first, or loses those that it sends just then. `nil`: never.
    public var idleTimeout: Duration? = .seconds(125)
    /// Closes a connection whose client keeps it open after the last response. `nil`: never.
    public var lingerTimeout: Duration? = .seconds(60)
    /// How long a request may take to arrive, besides the time that its bytes need at `minBytesPerSecond`; and how long a
    /// client may read nothing of an answer. Then the connection is closed. `nil`: never.
    public var stallTimeout: Duration? = .seconds(60)
    /// The slowest pace at which a request may arrive for longer than `stallTimeout`.
    public var minBytesPerSecond = 1024
    /// The most connections at a time; further ones are closed at once.
    public var maxConnections = 100_000
    /// Takes a place for a connection where the application has limits of its own, for instance by address; what it
    /// answers is called once it is closed. `nil` as the answer: there is none, and the connection is closed at once.
    public var reserveConnection: Reservation<SocketAddress?>?
    /// The longest single header field, in bytes.
    public var maxHeaderFieldSize = 16 * 1024
    /// The longest head of a request, in bytes.
    public var maxHeaderListSize = 64 * 1024
    /// The most header fields of a request.
    public var maxHeaderFieldCount = 200
    /// How many requests of a connection may wait for those before them to be answered. When there is one more, those that wait are
    /// answered, and the connection ends. Not for `httpServer`.
    package var maxPipelinedRequests = 128
    /// Which server answers a request that asks for a socket, by the host that it names; nil: always this one. All use the same
    /// event loops. What is for nobody goes to the application.
    package var addressee: (@Sendable (_ host: String?) -> Addressee<SocketIOServer>)?

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

/// Whom a request is for, where several servers of a process share a port.
package enum Addressee<Server: Sendable>: Sendable {
  case this
  case other(Server)
  case nobody
}
