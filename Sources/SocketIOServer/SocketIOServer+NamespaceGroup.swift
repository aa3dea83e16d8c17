public import SocketIOProtocol

/// The namespaces that one declaration accepts.
public struct NamespaceGroup: Sendable {
  let rule: ServerCore.Rule
}

extension SocketIOServer {
  /// Sends an event to all sockets in all namespaces of a declaration that have sockets on this server. If an adapter connects it with
  /// others, their sockets in these namespaces receive it too. An event with a reserved name (`SocketEvent.reservedNames`) is logged and
  /// not sent.
  public func emit(_ event: String, _ arguments: SocketArguments = SocketArguments(), toAll group: NamespaceGroup) {
    for (name, _) in core.namespaceSizes where core.rule(for: name) === group.rule {
      core.broadcast(event, arguments, to: BroadcastTarget(namespace: name))
    }
  }

  /// Sends an event with these values as arguments to all sockets in all namespaces of a declaration, like `emit` with raw arguments.
  ///
  /// - Throws: `ReservedNameError`, `EncodingError`; then nothing was sent.
  public func emit<each Value: Encodable>(
    _ event: String, _ values: repeat each Value, toAll group: NamespaceGroup
  ) throws {
    try ReservedNameError.check(event)
    emit(event, try SocketArguments(encoding: repeat each values), toAll: group)
  }
}
