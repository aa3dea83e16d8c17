import SocketIOProtocol
import SocketIOServer

/// The application of the official Socket.IO suite: `/` and `/custom`.
enum SuiteApplication {
  static func install(on server: SocketIOServer) {
    var handlers = NamespaceHandlers(
      connected: { socket in
        socket.emit("auth", SocketArguments([socket.auth.isEmpty ? Array("{}".utf8) : socket.auth]))
      })
    handlers.on("message") { socket, event in socket.emit("message-back", event.arguments) }
    handlers.on("message-with-ack") { _, event in event.acknowledge?(event.arguments) }
    for namespace in ["/", "/custom"] { server.namespace(namespace, configure: handlers) }
  }
}
