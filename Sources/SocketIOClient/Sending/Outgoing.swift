import SocketIOProtocol

/// An event to the server.
struct Outgoing: Sendable {
  let event: SocketEvent
  let namespace: String
  /// The messages of the event, the same for each time it is sent.
  let messages: [EnginePacket]

  init(_ event: SocketEvent, in namespace: String, _ parser: SocketParser) {
    self.event = event
    self.namespace = namespace
    let arguments = event.arguments
    messages =
      SocketPacket.event(
        event.name, arguments: arguments.joined, namespace: namespace, id: event.id, attachments: arguments.attachments
      ).messages(parser)
  }

  var byteCount: Int { messages.reduce(0) { $0 + $1.data.count } }
}
