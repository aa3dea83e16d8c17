public import SocketIOProtocol

/// The namespaces that one declaration accepts.
public struct NamespaceGroup: Sendable {
  let rule: ServerCore.Rule
}

extension SocketIOServer {
  /// Sends an event to everybody in all namespaces of a declaration that have sockets on this server; where an adapter connects it with
  /// others, their sockets in these namespaces get it, too. One with a reserved name (`SocketEvent.reservedNames`) is not sent, and
  /// the log says so.
  public func emit(_ event: String, _ arguments: SocketArguments = SocketArguments(), toAll group: NamespaceGroup) {
    for (name, _) in core.namespaceSizes where core.rule(for: name) === group.rule {
      core.broadcast(event, arguments, to: BroadcastTarget(namespace: name))
    }
  }

  /// Sends an event whose arguments are these values to everybody in all namespaces of a declaration, as for raw arguments.
  ///
  /// - Throws: `ReservedNameError`, `EncodingError`; nothing was sent then.
  public func emit<each Value: Encodable>(
    _ event: String, _ values: repeat each Value, toAll group: NamespaceGroup
  ) throws {
    try ReservedNameError.check(event)
    emit(event, try SocketArguments(encoding: repeat each values), toAll: group)
  }
}

extension String {
  /// The name of a namespace, which begins with a slash; as in the reference, one that is missing is put in front.
  var asNamespace: String { utf8.first == UInt8(ascii: "/") ? self : "/" + self }
}
