import MadangAPI
import MadangCore
import NIOCore
import ServiceLifecycle
import SocketIOServer
import Synchronization

/// The backend that answers now, and the work of all that there are.
final class CurrentBackend: ServiceLifecycle.Service {
  private let state: Mutex<Backend>
  private let arrivals: AsyncStream<Backend>
  private let arrival: AsyncStream<Backend>.Continuation

  init(_ first: Backend) {
    state = Mutex(first)
    (arrivals, arrival) = AsyncStream.makeStream()
    arrival.yield(first)
  }

  var backend: Backend { state.withLock(\.self) }

  /// A call begins.
  func visit(over channel: (any NIOCore.Channel)? = nil) -> Visit { state.withLock { Visit(to: $0, over: channel) } }

  /// Does something on the backend that is there now; its database stays open until it is done.
  func answering<Answer>(_ body: (Service) async throws -> Answer) async rethrows -> Answer {
    let visit = visit()
    defer { withExtendedLifetime(visit) {} }
    return try await body(visit.service)
  }

  /// Runs the work of the backend, and of each that takes its place.
  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for await backend in arrivals.cancelOnGracefulShutdown() {
        group.addTask { try await backend.run() }
      }
      try await group.waitForAll()
    }
  }

  /// Puts another backend in place; it answers from now on. When calls under way at the former one are over, or have had
  /// their time, it is returned, to be closed.
  ///
  /// - Parameters:
  ///   - keepsSockets: Whether sockets stay in their rooms, as far as they have a right to be there. Else all are closed.
  ///   - limit: How long calls under way may go on; then their connections are closed.
  ///   - moment: Done at the moment of the exchange.
  ///   - then: Done while calls may still be under way at the former one.
  func exchange(
    for next: Backend, keepsSockets: Bool, within limit: Duration, _ socketIO: SocketIOServer, at moment: () -> Void,
    then: () async -> Void
  ) async -> Backend {
    // Read before anybody posts to it: what is said there afterwards is heard.
    let seqs = keepsSockets ? await next.seqs(ofRooms: backend.sockets.all) : [:]
    let former = state.withLock { backend in
      defer { backend = next }
      moment()
      return backend
    }
    arrival.yield(next)
    let sockets = former.sockets.all
    former.stepAside()
    if keepsSockets {
      await next.adopt(sockets, after: seqs)
    } else {
      await socketIO.closeSessions(awaitingClients: false)
    }
    await then()
    await former.calls.finish(within: limit)
    return former
  }

  /// Declares the namespaces: `/` accepts everybody and never emits; a room's admits its readers.
  /// No event of a client has a handler: all are ignored, none is relayed.
  func register(with socketIO: SocketIOServer) {
    socketIO.namespace(where: { $0 == "/" }, configure: NamespaceHandlers())
    socketIO.namespace(
      where: { RoomNamespace(name: $0) != nil },
      configure: NamespaceHandlers(
        admit: { [weak self] request in
          while let self {
            let visit = visit()
            defer { withExtendedLifetime(visit) {} }
            let admission = await visit.backend.admit(request)
            if visit.backend === self.backend { return admission }
          }
          return .refuse(message: ErrorCode.serverFailure.rawValue)
        },
        // Weakly: the Socket.IO server belongs to what these lead to, which would never be freed.
        connected: { [weak self] in self?.backend.connected($0) },
        disconnected: { [weak self] socket, _ in self?.backend.disconnected(socket) }))
  }
}
