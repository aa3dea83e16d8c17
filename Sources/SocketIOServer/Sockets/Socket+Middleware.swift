import SocketIOProtocol

extension Socket {
  /// Examines all events of the client before any listener does, and refuses those for which it throws: no listener receives them, and they
  /// are not acknowledged (`NamespaceHandlers.refused` may do that). All middleware of the socket, synchronous or asynchronous, runs in the
  /// order in which it was added. It runs on the event loop of the client: it must not block. Call it in `connected`, so that it sees the
  /// first event.
  @discardableResult
  public func use(_ body: @escaping @Sendable (Socket, Event) throws -> Void) -> Listener {
    listen(.middleware, body)
  }

  /// Examines all events of the client as the other `use` does, but in a task of the socket. Events wait for one another and keep their
  /// order, also in the listeners.
  ///
  /// The task is cancelled when the client leaves. A client with too many waiting events is disconnected (`maxWaitingEvents`,
  /// `maxWaitingEventBytes`).
  @discardableResult
  public func use(perform body: @escaping @Sendable (Socket, Event) async throws -> Void) -> Listener {
    let id = Listener()
    changeListeners { $0.add(.init(id: id, isOnce: false, body: { _, _ in }, perform: body), .middleware) }
    return id
  }

  /// Runs the middleware on an event, asynchronously, after earlier events. Called on the event loop.
  func judge(_ event: Event) {
    judging += 1
    let middleware = listeners.middleware
    work(on: event) {
      let refusal = await self.refusal(of: event, by: middleware)
      await self.hop { socket in
        socket.judging -= 1
        socket.releaseEvent()
        if let refusal { socket.refuse(event, refusal) } else { socket.hear(event) }
      }
    }
  }

  private enum Verdict: Sendable {
    case passed
    case refused(any Error)
    /// The middleware is asynchronous.
    case pending
  }

  private func refusal(of event: Event, by middleware: [Listeners.Entry]) async -> (any Error)? {
    for entry in middleware {
      let verdict = await hop { socket -> Verdict in
        // It may have been removed meanwhile.
        guard socket.listeners.contains(entry.id, for: event.name) else { return .passed }
        guard entry.perform == nil else { return .pending }
        do { try entry.body(socket, event) } catch { return .refused(error) }
        return .passed
      }
      switch verdict {
      case .passed: break
      case .refused(let error): return error
      case .pending: do { try await entry.perform?(self, event) } catch { return error }
      }
    }
    return nil
  }

  /// Runs a closure on the event loop, and waits for it.
  private func hop<Result: Sendable>(_ body: @escaping @Sendable (Socket) -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      shard.run { _ in continuation.resume(returning: body(self)) }
    }
  }
}
