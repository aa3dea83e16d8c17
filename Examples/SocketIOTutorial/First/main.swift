import SocketIOServer

let server = SocketIOServer()
var chat = NamespaceHandlers()
chat.on("say") { socket, event in socket.broadcast("said", event.arguments) }
server.namespace("/", configure: chat)
try await server.run(port: 3000)
