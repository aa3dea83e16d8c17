import DequeModule
import Logging
import SocketIOProtocol

/// What asynchronous listeners of a socket have still to do. Touched on the socket's event loop only.
struct SocketWork {
  typealias Item = @Sendable () async -> Void

  fileprivate var waiting: Deque<Item> = []
  fileprivate var running: Task<Void, Never>?
}

extension Socket {
  /// Works on an event after those before it; an error refuses it. Called on the event loop.
  func work(on event: Event, _ body: @escaping @Sendable () async throws -> Void) {
    work {
      do {
        try await body()
      } catch is CancellationError {
      } catch {
        self.onLoop { $0.refuse(event, error) }
      }
    }
  }

  private func work(_ item: @escaping SocketWork.Item) {
    guard let session else { return }
    guard pendingWork.waiting.count < shard.core.configuration.maxWaitingEvents else {
      shard.core.logger.info(
        "Client closed: it sends events faster than they are handled", metadata: ["namespace": "\(namespace)"])
      return session.close(.forcedClose)
    }
    pendingWork.waiting.append(item)
    startWork()
  }

  private func startWork() {
    guard pendingWork.running == nil, let item = pendingWork.waiting.popFirst() else { return }
    // Unstructured: it lives as long as the socket, and is cancelled with it.
    pendingWork.running = Task {
      await item()
      shard.run { _ in
        self.pendingWork.running = nil
        self.startWork()
      }
    }
  }

  /// The client has left.
  func dropWork() {
    pendingWork.waiting = []
    pendingWork.running?.cancel()
  }
}
