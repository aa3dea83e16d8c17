import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import SocketIOClient
import SocketIOProtocol
import SocketIOServer
import SocketIOSupport

/// The listener of a test server.
enum TestListener: CaseIterable {
  /// The server's own, on its event loops.
  case own
  /// An application of Hummingbird.
  case application
}

/// A server on a free port, with a small application.
struct TestServer: Sendable {
  let server: SocketIOServer
  let port: Int
  let journal: Journal

  static func with(
    _ configuration: SocketIOServer.Configuration = .changed { _ in },
    http: SocketIOServer.HTTPChannelConfiguration = .init(), by listener: TestListener = .own,
    answering respond: SocketIOServer.Respond? = nil, engineOnly: Bool = false,
    packetHook: SocketIOServer.PacketHook? = nil, logger: Logger = .silent,
    _ body: (TestServer) async throws -> Void
  ) async throws {
    let loops = MultiThreadedEventLoopGroup.singleton
    var echo: SocketIOServer.EngineHandler?
    if engineOnly { echo = { client, message in client.send(message) } }
    let server = SocketIOServer(
      configuration: configuration, eventLoopGroup: loops, logger: logger, engineHandler: echo,
      packetHook: packetHook)
    let journal = Journal()
    TestApplication.install(on: server, journal)
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let (responder, address) = (TestResponder(server: server), BindAddress.hostname("127.0.0.1", port: 0))
    let service: any ServiceLifecycle.Service =
      switch listener {
      case .own:
        server.listener(
          at: address, configuration: http, logger: .silent, onRunning: { continuation.yield($0) },
          respond: respond ?? responder.respond)
      case .application:
        Application(
          responder: responder, server: server.httpServer(configuration: http), configuration: .init(address: address),
          onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) },
          eventLoopGroupProvider: .shared(loops), logger: .silent)
      }
    let running = Task { try await service.run() }
    defer { running.cancel() }
    var iterator = ports.makeAsyncIterator()
    guard let port = await iterator.next() else { return }
    try await body(TestServer(server: server, port: port, journal: journal))
    await server.shutdown()
    // Ends only when every request's task has ended.
    running.cancel()
    _ = await running.result
  }

  /// Runs `body` with a running client, which is closed afterwards and must then end.
  func withClient(
    _ mode: ClientMode = .webSocket, _ change: (inout SocketIOClient.Configuration) -> Void = { _ in },
    _ body: (SocketIOClient) async throws -> Void
  ) async throws {
    try await SocketIOSupport.withClient(of: "http://127.0.0.1:\(port)", mode, change, body)
  }

  func wire() async throws -> Wire { try await .connect(port) }

  func webSocket(_ query: String = "EIO=4&transport=websocket") async throws -> RawWebSocket {
    try await .open(port, "/socket.io/?\(query)")
  }

  /// Whether the server gets to exactly this number of sessions. The end of a session is visible on other loops a moment later.
  func settles(sessions: Int) async -> Bool { await settles { $0.sessions == sessions } }

  func settles(_ stats: SocketIOServer.Stats) async -> Bool { await settles { $0 == stats } }

  /// Returns when each event loop has run its earlier work.
  func turnOfAllLoops() async {
    for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() { try? await loop.submit {}.get() }
  }

  private func settles(_ isSettled: (SocketIOServer.Stats) -> Bool) async -> Bool {
    let deadline = ContinuousClock.now + .seconds(30)
    while !isSettled(server.stats) {
      guard ContinuousClock.now < deadline else { return false }
      try? await Task.sleep(for: .milliseconds(5))
    }
    return true
  }
}

extension SocketIOServer.Configuration {
  /// The defaults of these tests, changed by `body`.
  static func changed(_ body: (inout Self) -> Void) -> Self {
    var configuration = Self()
    configuration.cors = .anyOrigin
    // Test clients leave without a close handshake.
    configuration.closeTimeout = .milliseconds(100)
    // On a busy machine a test may take longer than the default, and no test expects a ping that it did not ask for.
    configuration.pingInterval = .seconds(600)
    body(&configuration)
    return configuration
  }
}

/// The application's notes, in order; waiting for a note replaces sleeping.
actor Journal {
  private(set) var entries: [String] = []
  private var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
  private var waiterCount = 0

  func add(_ entry: String) {
    entries.append(entry)
    let waiting = waiters
    waiters = [:]
    for waiter in waiting.values { waiter.resume() }
  }

  /// Returns early when the test's time is over.
  func wait(for entry: String, times: Int = 1) async {
    while !Task.isCancelled, entries.count(where: { $0 == entry }) < times { await nextChange() }
  }

  func nextChange() async {
    waiterCount += 1
    let id = waiterCount
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled { continuation.resume() } else { waiters[id] = continuation }
      }
    } onCancel: {
      Task { await self.stopWaiting(id) }
    }
  }

  private func stopWaiting(_ id: Int) {
    waiters.removeValue(forKey: id)?.resume()
  }
}

private struct TestContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }
}

private struct TestResponder: HTTPResponder {
  let server: SocketIOServer

  func respond(to request: Request, context: TestContext) async throws -> Response {
    try await respond(request, context.channel)
  }

  @Sendable
  func respond(_ request: Request, _ channel: any Channel) async throws -> Response {
    if server.isSocketPath(request.uri.path) { return await server.respond(to: request, channel: channel) }
    if request.uri.path == "/where" {
      let isOnLoop = MultiThreadedEventLoopGroup.currentEventLoop != nil
      return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: isOnLoop ? "loop" : "elsewhere")))
    }
    guard request.method == .post else {
      let values = request.headers.first { $0.name.canonicalName == "x-test" }?.value ?? "none"
      return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: values)))
    }
    let body = try await request.body.collect(upTo: 10_000_000)
    return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: "\(body.readableBytes)")))
  }
}
