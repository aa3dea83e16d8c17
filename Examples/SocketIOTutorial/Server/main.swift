import SocketIOServer

struct Credentials: Decodable {
  var name: String
  var password: String
}

struct User: Sendable {
  var name: String
}

let server = SocketIOServer()
var chat = NamespaceHandlers()

chat.use { request, data in
  guard let shown = try? request.auth(as: Credentials.self), shown.password == "secret" else {
    throw ConnectRefusal(message: "not authorized")
  }
  data[User.self] = User(name: shown.name)
}

chat.on("join", as: String.self) { socket, room, acknowledge in
  guard room.utf8.count <= 40 else { return }
  socket.join("room:\(room)")
  try? acknowledge?("welcome to \(room)")
}

chat.on("say", as: String.self) { socket, text, acknowledge in
  try? socket.broadcast("said", socket[User.self]?.name, text, to: socket.rooms)
  acknowledge?()
}

chat.connected = { socket in
  try? socket.broadcast("said", "server", "\(socket[User.self]?.name ?? "somebody") is here")
}

chat.disconnected = { socket, _ in
  try? server.emit("said", "server", "\(socket[User.self]?.name ?? "somebody") is gone", to: .init(namespace: "/"))
}

server.namespace("/", configure: chat)
try await server.run(port: 3000)
