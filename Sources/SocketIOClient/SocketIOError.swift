/// Why something asked of a client could not be done.
public enum SocketIOError: Error, Hashable, Sendable {
  /// The URL is not `http`, `https`, `ws` or `wss` with a host.
  case badURL(String)
  /// The namespace is not joined now.
  case notConnected
  /// Too much waits to be sent, or for acknowledgement.
  case congested
  /// The acknowledgement did not come in time.
  case timedOut
  /// The reader of a sequence of updates fell behind its limit; it has left its namespaces.
  case tooSlow
  /// The server did not let the client into the namespace.
  case refused(SocketIOClient.Refusal)
  /// The client was closed.
  case closed
}
