public import SocketIOProtocol

extension SocketIOClient {
  /// What happened in a namespace.
  public struct Update: Sendable {
    public enum Kind: Sendable {
      /// The server accepted this client; also after each reconnection. If it recovered the former connection, the id and the rooms are
      /// unchanged, and the events in between follow; otherwise these events are lost.
      case connected(sid: String, recovered: Bool)
      case event(SocketEvent)
      /// The server refused this client. The client asks again only with ``SocketIOClient/rejoin(_:auth:)`` or the next connection. Only
      /// credentials that could not be made are requested again.
      case refused(Refusal)
      /// The client is no longer in the namespace. After a lost connection it rejoins automatically.
      case disconnected(DisconnectReason)
      /// An attempt to connect failed; the next one follows after the delay.
      case waiting(Failure, delay: Duration)
    }

    public let namespace: String
    public let kind: Kind
  }

  /// The server's answer to a client that it refuses.
  public struct Refusal: Hashable, Sendable {
    /// The message for users; empty if there is none.
    public let message: String
    /// The whole answer as JSON.
    public let json: [UInt8]

    /// A refusal raised locally.
    init(message: String) {
      self.init(json: Array(#"{"message":\#(JSONText.quoted(message))}"#.utf8))
    }

    /// Decodes the refusal's data.
    /// - Throws: `DecodingError` if there is none, or it has another type.
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

  /// The updates of some namespaces, in order. For one reader. Releasing the sequence leaves the namespaces.
  ///
  /// It fails with ``SocketIOError/tooSlow`` if its reader falls behind the limit, and ends when the client is closed.
  public struct Updates: AsyncSequence, Sendable {
    public typealias Element = Update
    let stream: AsyncThrowingStream<Update, any Error>

    public func makeAsyncIterator() -> AsyncThrowingStream<Update, any Error>.Iterator { stream.makeAsyncIterator() }
  }
}
