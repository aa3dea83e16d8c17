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

  /// At once on the event loop, so that no event comes between; from elsewhere behind what was asked for before.
  func changeListeners(_ body: @escaping @Sendable (inout Listeners) -> Void) {
    guard shard.loop.inEventLoop else { return shard.hand { _ in self.changeListenersNow(body) } }
    changeListenersNow(body)
  }

  private func changeListenersNow(_ body: (inout Listeners) -> Void) {
    guard session != nil else { return }
    // What a removed listener has kept may end with it, and change the listeners as well.
    let former = listeners
    body(&listeners)
    listenerChanges += 1
    withExtendedLifetime(former) {}
  }

  /// Nobody listens any more. A listener may hold on to the socket, which so lets go of itself.
  func dropListeners() {
    let former = listeners
    listeners = Listeners()
    listenerChanges += 1
    withExtendedLifetime(former) {}
  }

  /// Takes an event of the client's to whoever listens. Called on the event loop.
  ///
  /// - Parameter event: Made only if somebody listens.
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

  /// The same for an event that middleware has let pass.
  func hear(_ event: Event) {
    pendingWork.beginEvent()
    let (any, named, changes) = (listeners.any, listeners.named[event.name] ?? [], listenerChanges)
    _ = call(any, event, unchangedSince: changes)
    _ = call(named, event, unchangedSince: changes)
  }

  /// Shows an event on its way to the client.
  func showOutgoing(_ name: String, _ arguments: SocketArguments) {
    guard !listeners.outgoing.isEmpty else { return }
    let event = Event(name: name, arguments: arguments, acknowledge: nil)
    _ = call(listeners.outgoing, event, unchangedSince: listenerChanges)
  }

  /// False if one has thrown, and so was the last.
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

  /// An event is refused. Called on the event loop.
  func refuse(_ event: Event, _ error: any Error) {
    shard.core.logger.debug(
      "Event refused",
      metadata: [
        "namespace": "\(LogText(namespace))", "event": "\(LogText(event.name))", "error": "\(LogText("\(error)"))",
      ])
    // An asynchronous listener may fail after `disconnected`, which is the last that is heard of a socket.
    if session != nil { rule.handlers.refused?(self, event, error) }
  }
}
