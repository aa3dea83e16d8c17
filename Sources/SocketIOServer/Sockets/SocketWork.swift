import DequeModule
import Logging
import SocketIOProtocol

/// The pending work of a socket's asynchronous middleware and listeners. Accessed only on the socket's event loop.
struct SocketWork {
  fileprivate struct Item: Sendable {
    /// Identifies the event.
    let event: Int
    /// The size that is returned to the session's `EventRoom` when the work is done.
    var size: Int
    let body: @Sendable () async -> Void
  }

  fileprivate var waiting: Deque<Item> = []
  fileprivate var running: Task<Void, Never>?
  /// The size of the item that runs.
  fileprivate var runningSize = 0
  private var lastEvent = 0
  private var lastCharged = 0

  /// Starts a new event: following work belongs to it.
  mutating func beginEvent() { lastEvent += 1 }

  /// Makes an item for the event. If several items belong to one event, the first one has its size.
  fileprivate mutating func item(for event: Socket.Event, _ body: @escaping @Sendable () async -> Void) -> Item {
    defer { lastCharged = lastEvent }
    return Item(event: lastEvent, size: lastCharged == lastEvent ? 0 : event.size, body: body)
  }
}

extension Socket {
  /// Queues work on the current event behind earlier work; an error refuses the event. Called on the event loop.
  func work(on event: Event, _ body: @escaping @Sendable () async throws -> Void) {
    guard let session else { return }
    let item = pendingWork.item(for: event) {
      do {
        try await body()
      } catch is CancellationError where Task.isCancelled {
        // The client has left.
      } catch {
        self.shard.enqueue { _ in self.refuse(event, error) }
      }
    }
    let configuration = shard.core.configuration
    guard pendingWork.waiting.count < configuration.maxWaitingEvents,
      session.eventRoom.take(item.size, limit: configuration.maxWaitingEventBytes)
    else {
      shard.core.logger.info(
        "Client closed: it sends events faster than they are handled", metadata: ["namespace": "\(LogText(namespace))"])
      return session.close(.forcedClose)
    }
    pendingWork.waiting.append(item)
    startWork(of: session)
  }

  private func startWork(of session: Session) {
    guard pendingWork.running == nil, let item = pendingWork.waiting.popFirst() else { return }
    pendingWork.runningSize = item.size
    // Unstructured: it is cancelled with the socket.
    pendingWork.running = Task {
      await item.body()
      shard.run { _ in
        self.finish(item.event, of: session)
        self.startWork(of: session)
      }
    }
  }

  private func finish(_ event: Int, of session: Session) {
    pendingWork.running = nil
    let size = pendingWork.runningSize
    pendingWork.runningSize = 0
    if pendingWork.waiting.first?.event == event {
      // The next item belongs to the same event, which stays in memory.
      pendingWork.waiting[0].size += size
    } else {
      session.eventRoom.give(size)
    }
  }

  /// Releases the current event's size, because the event continues as a new one.
  func releaseEvent() {
    guard let session else { return }
    session.eventRoom.give(pendingWork.runningSize)
    pendingWork.runningSize = 0
  }

  /// The client has left.
  func dropWork(of session: Session) {
    session.eventRoom.give(pendingWork.waiting.reduce(0) { $0 + $1.size })
    pendingWork.waiting = []
    pendingWork.running?.cancel()
  }
}
