import AsyncHTTPClient
public import Logging
public import NIOCore
public import NIOPosix
import SocketIOProtocol

/// A Socket.IO client over WebSocket or HTTP long-polling that reconnects automatically.
///
/// Run the client in its own task, and join namespaces:
/// ```swift
/// let client = try SocketIOClient(url: "http://127.0.0.1:3000")
/// async let running: Void = client.run()
/// try await client.connect(to: "/chat")
/// try await client.emit("say", Message(text: "hello"), in: "/chat")
/// for try await message in await client.events("said", as: Message.self, in: "/chat") { ... }
/// ```
/// ``updates(in:auth:)`` reports everything that happens, including lost and restored connections.
///
/// All namespaces share one connection. When it is lost, or the server is silent for longer than it announced, it is opened again after a
/// growing delay, and the namespaces of active sequences are joined again.
public actor SocketIOClient {
  let configuration: Configuration
  let dialer: Dialer
  let logger: Logger
  let loop: any EventLoop
  private let executor: any SerialExecutor

  var connection: Connection?
  var memberships: [String: Membership] = [:]
  var listeners: [Interest: Readers<SocketEvent>] = [:]
  var watchers = Readers<ConnectionEvent>()
  var joining: [Joining] = []
  /// The claims to former sockets, by namespace.
  var claims: [String: RecoveryClaim] = [:]
  var acknowledgements: [Awaited: PendingAck] = [:]
  var ackCount: UInt64 = 0
  var cookies: CookieJar
  /// The client for long-polling; made when needed, and shut down with this client.
  var http: HTTPClient?
  var isClosed = false
  private var pause: Task<Void, Never>?
  var connectionCount = 0
  var feedCount = 0

  /// The actor runs on the connection's event loop, so packets are handled without a thread switch.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameter url: The server's origin, `http`, `https`, `ws` or `wss`.
  /// - Throws: ``SocketIOError/badURL(_:)``, ``SocketIOError/notOrigin(_:)`` or ``SocketIOError/badTLS(_:)``.
  public init(
    url: String, configuration: Configuration = .init(), logger: Logger = Logger(label: "socketio.client"),
    on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
  ) throws(SocketIOError) {
    dialer = try Dialer(ServerAddress(url: url), configuration)
    try ServerAddress.requireOrigin(url)
    self.configuration = dialer.configuration
    cookies = CookieJar(dialer.address, dialer.configuration)
    self.logger = logger
    loop = group.next()
    executor = loop.executor
  }
}

// MARK: - Running

extension SocketIOClient {
  /// Connects and reconnects until the client is closed, the task is cancelled, or the allowed attempts have failed. Call it once. Every
  /// sequence of updates has ended when it returns. A connection to a proxy that never answers may end up to `connectTimeout` later: do not
  /// shut down your own event loop group before.
  public func run() async {
    var failures = 0
    while !isClosed, !Task.isCancelled {
      tell(.attempt(after: failures))
      let (wasOpen, failure) = await connectAndServe()
      if isClosed || Task.isCancelled { break }
      tell(.ended(failure, wasOpen: wasOpen))
      failures = wasOpen ? 1 : failures + 1
      if let most = configuration.maxAttempts, failures > most {
        tell(.gaveUp)
        break
      }
      let delay = configuration.backoff.delay(after: failures, chance: .random(in: 0...1))
      tell(.waiting(delay))
      // The first failure is a warning, so that a caller that waits in `connect` can see the cause.
      logger.log(
        level: failures == 1 && !wasOpen ? .warning : .debug, "connecting again",
        metadata: ["reason": "\(failure)", "delay": "\(delay)"])
      for namespace in memberships.keys { tell(namespace, .waiting(failure, delay: delay)) }
      await rest(delay)
    }
    close()
    await endPolling()
  }

  /// Leaves all namespaces and closes the connection. ``run()`` returns and every sequence ends.
  ///
  /// Kept and queued events are dropped; with polling, events that were emitted just before may be dropped too: wait for their
  /// acknowledgement.
  public func close() {
    isClosed = true
    pause?.cancel()
    transmit([EnginePacket(.close)])
    // Before the connection ends, so that waiting callers get `closed` instead of `notConnected`.
    let ended = memberships.values
    memberships = [:]
    claims = [:]
    forgetAcks(.closed) { _ in true }
    endConnection(.closed, tellDisconnected: false)
    for membership in ended {
      membership.tryTimer?.cancel()
      membership.feed?.finish()
    }
    for interest in listeners.keys { listeners[interest]?.finish() }
    listeners = [:]
    watchers.finish()
    for waiter in joining { waiter.continuation.resume(throwing: SocketIOError.closed) }
    joining = []
  }

  private func rest(_ delay: Duration) async {
    // A separate task, so that closing ends the pause without cancelling the task that runs the client.
    let pause = Task { _ = try? await Task.sleep(for: delay) }
    self.pause = pause
    await withTaskCancellationHandler {
      await pause.value
    } onCancel: {
      pause.cancel()
    }
    self.pause = nil
  }
}
