import Logging
import NIOCore
import SocketIOProtocol

extension Socket {
  func listen(
    _ kind: Listeners.Kind, isOnce: Bool = false, isFirst: Bool = false, _ body: @escaping Listeners.Body
  ) -> Listener {
    let id = Listener()
    changeListeners { $0.add(.init(id: id, isOnce: isOnce, body: body), kind, isFirst: isFirst) }
    return id
  }

  /// Changes the listeners: at once on the event loop, so that no event comes between; from other threads after earlier calls.
  func changeListeners(_ body: @escaping @Sendable (inout Listeners) -> Void) {
    guard shard.loop.inEventLoop else { return shard.hand { _ in self.changeListenersNow(body) } }
    changeListenersNow(body)
  }

  private func changeListenersNow(_ body: (inout Listeners) -> Void) {
    guard session != nil else { return }
    // Releasing a removed listener may run application code that changes the listeners again.
    let former = listeners
    body(&listeners)
    listenerChanges += 1
    withExtendedLifetime(former) {}
  }

  /// Removes all listeners. A listener may retain the socket, so this breaks the cycle.
  func dropListeners() {
    let former = listeners
    listeners = Listeners()
    listenerChanges += 1
    withExtendedLifetime(former) {}
  }

  /// Passes an event of the client to its listeners. Called on the event loop.
  ///
  /// - Parameter event: Makes the event; called only if there is a listener.
  func dispatch(_ name: String, _ event: () -> Event) {
    let named = listeners.named[name]
    guard named != nil || !listeners.any.isEmpty || !listeners.middleware.isEmpty else { return }
    let (event, changes) = (event(), listenerChanges)
    pendingWork.beginEvent()
    let (middleware, any) = (listeners.middleware, listeners.any)
    if judging > 0 || middleware.contains(where: { $0.perform != nil }) { return judge(event) }
    guard call(middleware, event, unchangedSince: changes, endsWithError: true) else { return }
    _ = call(any, event, unchangedSince: changes)
    if let named { _ = call(named, event, unchangedSince: changes) }
  }

  /// Passes an event to its listeners that middleware has let pass.
  func hear(_ event: Event) {
    pendingWork.beginEvent()
    let (any, named, changes) = (listeners.any, listeners.named[event.name] ?? [], listenerChanges)
    _ = call(any, event, unchangedSince: changes)
    _ = call(named, event, unchangedSince: changes)
  }

  /// Passes an outgoing event to the listeners of `onAnyOutgoing`.
  func showOutgoing(_ name: String, _ arguments: SocketArguments) {
    guard !listeners.outgoing.isEmpty else { return }
    let event = Event(name: name, arguments: arguments, acknowledge: nil)
    _ = call(listeners.outgoing, event, unchangedSince: listenerChanges)
  }

  /// False if an entry has thrown and ended the calls.
  private func call(
    _ entries: [Listeners.Entry], _ event: Event, unchangedSince changes: Int, endsWithError: Bool = false
  ) -> Bool {
    for entry in entries {
      // Another listener may have removed it.
      if listenerChanges != changes, !listeners.contains(entry.id, for: event.name) { continue }
      if entry.isOnce { changeListeners { $0.remove(entry.id) } }
      do {
        try entry.body(self, event)
      } catch {
        refuse(event, error)
        if endsWithError { return false }
      }
    }
    return true
  }

  /// Refuses an event. Called on the event loop.
  func refuse(_ event: Event, _ error: any Error) {
    shard.core.logger.debug(
      "Event refused",
      metadata: [
        "namespace": "\(LogText(namespace))", "event": "\(LogText(event.name))", "error": "\(LogText("\(error)"))",
      ])
    // An asynchronous listener may fail after `disconnected`, which must be the last call for a socket.
    if session != nil { rule.handlers.refused?(self, event, error) }
  }
}
