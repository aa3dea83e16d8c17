import NIOCore
import NIOPosix
import Synchronization
import Testing

/// A network to a local server that disturbs single requests in the ways that a test has ordered.
final class FaultyNetwork: Sendable {
  /// The fault of a request.
  enum Fault: Sendable {
    /// The request does not reach the server; this answer is sent instead when it is released.
    case answered(String)
    /// The answer ends after this many bytes of the body, and so does the connection.
    case cut(after: Int)
    /// The head and this many bytes of the body arrive, then nothing, on an open connection.
    case stalled(after: Int)
    /// The head and this many bytes of the body arrive; the rest follows when it is released.
    case held(after: Int)
    /// This many bytes of the request reach the server; the rest, which the client can send, follows when it is released.
    case delayed(after: Int)
  }

  let url: String
  /// The first lines of disturbed requests, as they arrive.
  let faults: AsyncStream<String>
  private let told: AsyncStream<String>.Continuation
  private let listener: any Channel
  private let state = Mutex(State())

  private struct State {
    var orders: [(start: String, part: String, fault: Fault)] = []
    var requests: [String] = []
    var links: [FaultyLink] = []
    var areSocketsSilent = false
  }

  private init(_ listener: any Channel, url: String) {
    self.listener = listener
    self.url = url
    (faults, told) = AsyncStream.makeStream(of: String.self)
  }

  /// Runs `body` with a network to a local port.
  static func run(to port: Int, _ body: (FaultyNetwork) async throws -> Void) async throws {
    let made = Mutex<FaultyNetwork?>(nil)
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer { client in
        guard let network = made.withLock(\.self) else { return client.close() }
        return network.link(client, port)
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let network = FaultyNetwork(listener, url: "http://127.0.0.1:\(try #require(listener.localAddress?.port))")
    made.withLock { $0 = network }
    let result: Result<Void, any Error>
    do { result = .success(try await body(network)) } catch { result = .failure(error) }
    // The initializer of the listener retains the network.
    made.withLock { $0 = nil }
    try? await listener.close()
    for link in network.state.withLock(\.links) { link.close() }
    try result.get()
  }

  /// Orders a fault for the next request whose first line begins with `start` and contains `part`.
  func order(_ fault: Fault, _ start: String, containing part: String) {
    state.withLock { $0.orders.append((start, part, fault)) }
  }

  /// Releases everything that is held back.
  func release() {
    for link in state.withLock(\.links) { link.release() }
  }

  /// Closes the connections whose answers are held back.
  func cut() {
    for link in state.withLock(\.links) where link.isHolding { link.close() }
  }

  /// Whether sockets receive nothing from the server.
  var areSocketsSilent: Bool {
    get { state.withLock(\.areSocketsSilent) }
    set { state.withLock { $0.areSocketsSilent = newValue } }
  }

  /// The first lines of all requests so far that begin with `start` and contain `part`.
  func requests(_ start: String, containing part: String) -> [String] {
    state.withLock { $0.requests.filter { $0.hasPrefix(start) && $0.contains(part) } }
  }

  /// Waits until an ordered fault has happened.
  func fault() async { for await _ in faults { return } }

  /// Records a request and returns its fault.
  func fault(of line: String) -> Fault? {
    let fault: Fault? = state.withLock { state in
      state.requests.append(line)
      guard let index = state.orders.firstIndex(where: { line.hasPrefix($0.start) && line.contains($0.part) }) else {
        return nil
      }
      return state.orders.remove(at: index).fault
    }
    if fault != nil { told.yield(line) }
    return fault
  }

  private func link(_ client: any Channel, _ port: Int) -> EventLoopFuture<Void> {
    let upstream = ClientBootstrap(group: client.eventLoop).channelOption(.autoRead, value: false)
      .connect(host: "127.0.0.1", port: port)
    upstream.whenFailure { _ in client.close(promise: nil) }
    return upstream.flatMapThrowing { [self] server in
      let link = FaultyLink(client: client, server: server, in: self)
      try link.start()
      state.withLock { $0.links.append(link) }
    }
  }
}
