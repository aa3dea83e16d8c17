public import SocketIOProtocol

extension Socket {
  /// An event that a client sent, or that is sent to it.
  public struct Event: Sendable {
    public let name: String
    /// The arguments as raw JSON, and their binary attachments.
    public let arguments: SocketArguments
    /// Answers the event; `nil` if the client did not ask for an acknowledgement. Only the first call counts.
    public let acknowledge: Acknowledgement?
  }
}

/// Answers an event. Only the first call counts. It may be called from any thread, at any time.
public struct Acknowledgement: Sendable {
  let send: @Sendable (SocketArguments) -> Void

  /// Answers with these arguments.
  public func callAsFunction(_ arguments: SocketArguments = SocketArguments()) {
    send(arguments)
  }
}
