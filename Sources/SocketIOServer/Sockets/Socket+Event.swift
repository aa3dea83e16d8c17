public import SocketIOProtocol

extension Socket {
  /// An event a client sent, or one on its way to it.
  public struct Event: Sendable {
    public let name: String
    /// The arguments as raw JSON, and their binary attachments.
    public let arguments: SocketArguments
    /// Answers the event; `nil` when the client asked for no acknowledgement. Only the first call counts.
    public let acknowledge: Acknowledgement?
  }
}

/// The way to answer an event. Only the first call counts; it may be made from any thread, at any time.
public struct Acknowledgement: Sendable {
  let send: @Sendable (SocketArguments) -> Void

  /// Answers with these arguments.
  public func callAsFunction(_ arguments: SocketArguments = SocketArguments()) {
    send(arguments)
  }
}
