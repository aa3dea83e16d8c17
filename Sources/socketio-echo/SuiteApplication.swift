import SocketIOProtocol
import SocketIOServer

/// The application of the official Socket.IO suite: `/` and `/custom`.
enum SuiteApplication {
  static func install(on server: SocketIOServer) {
    let handlers = NamespaceHandlers(
      admit: { request in .accept(SocketData(text: String(decoding: request.auth, as: UTF8.self))) },
      connected: { socket in
        let auth = socket.data.text ?? ""
        socket.emit("auth", SocketArguments([Array((auth.isEmpty ? "{}" : auth).utf8)]))
      },
      event: { socket, event in
        switch event.name {
        case "message": socket.emit("message-back", event.arguments)
        case "message-with-ack": event.acknowledge?(event.arguments)
        default: break
        }
      })
    for namespace in ["/", "/custom"] { server.namespace(namespace, configure: handlers) }
  }
}
