public import SocketIOProtocol

extension SocketIOClient {
  /// What happened in a namespace.
  public struct Update: Sendable {
    public enum Kind: Sendable {
      /// The server let this client in; also after each reconnection. If it recovered the former connection, the id and
      /// the rooms are those of before, and the events in between follow; otherwise they are lost.
      case connected(sid: String, recovered: Bool)
      case event(SocketEvent)
      /// The server refused this client. Nothing more is asked of it until ``SocketIOClient/rejoin(_:auth:)`` or
      /// the next connection; only credentials that could not be made are asked for again.
      case refused(Refusal)
      /// The client is out of the namespace. When the connection was lost it comes back by itself.
      case disconnected(DisconnectReason)
      /// An attempt to connect failed; the next one follows after the delay.
      case waiting(Failure, delay: Duration)
    }

    public let namespace: String
    public let kind: Kind
  }

  /// The server's answer to a client it does not let in.
  public struct Refusal: Hashable, Sendable {
    /// The message for people, empty if there is none.
    public let message: String
    /// The whole answer as JSON.
    public let json: [UInt8]

    /// A refusal of this side.
    init(message: String) {
      self.init(json: Array(#"{"message":\#(JSONText.quoted(message))}"#.utf8))
    }

    /// The refusal's data, if it has any, as a value.
    /// - Throws: `DecodingError` if there is none, or it is no such value.
    public func data<Value: Decodable>(as type: Value.Type) throws -> Value {
      let data = JSONScanner.members(ofObject: json)?.last { $0.key == "data" }.map { Array(json[$0.value]) }
      return try SocketArguments(data.map { [$0] } ?? []).decode(type)
    }

    init(json: [UInt8]) {
      self.json = json
      // Old servers send a bare string instead of an object.
      let members = JSONScanner.members(ofObject: json)
      let text = members.map { $0.first { $0.key == "message" }.map { json[$0.value] } ?? [] } ?? json[...]
      message = JSONText.string(text) ?? ""
    }
  }

  /// What happens in some namespaces, in order. For one reader. Dropping it leaves the namespaces.
  ///
  /// Fails with ``SocketIOError/tooSlow`` if its reader falls behind the limit, ends when the client is closed.
  public struct Updates: AsyncSequence, Sendable {
    public typealias Element = Update
    let stream: AsyncThrowingStream<Update, any Error>

    public func makeAsyncIterator() -> AsyncThrowingStream<Update, any Error>.Iterator { stream.makeAsyncIterator() }
  }
}
