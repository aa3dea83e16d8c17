public import SocketIOProtocol

extension SocketIOServer {
  /// Sends an event with one argument to all sockets in a namespace. It may be called from any thread. All sockets of a server receive all
  /// broadcasts in one order, and calls of one thread in the order of the calls. An event with a reserved name
  /// (`SocketEvent.reservedNames`) is logged and not sent.
  ///
  /// - Parameter json: The argument, one JSON value.
  public func emit(_ event: String, json: [UInt8], to namespace: String) {
    core.broadcast(event, SocketArguments([json]), to: BroadcastTarget(namespace: namespace))
  }

  /// Sends an event to all sockets that the target selects, once each. An event with a reserved name (`SocketEvent.reservedNames`) is
  /// logged and not sent.
  public func emit(_ event: String, _ arguments: SocketArguments = SocketArguments(), to target: BroadcastTarget) {
    core.broadcast(event, arguments, to: target)
  }

  /// Whether the namespace has a socket, or one that may return by connection state recovery. It is cheap: call it before encoding an
  /// event.
  ///
  /// - Parameter isLocal: Whether only sockets of this server count. Otherwise the result is always true if an adapter connects it with
  ///   others, because they may have sockets.
  public func hasSockets(in namespace: String, isLocal: Bool = false) -> Bool {
    let namespace = namespace.asNamespace
    return (cluster != nil && !isLocal) || core.hasSockets(in: namespace)
      || core.recovery?.remembers(namespace) ?? false
  }

  /// The other servers, if the target includes their sockets.
  func cluster(for target: BroadcastTarget) -> Cluster? { target.isLocal ? nil : cluster }
}
