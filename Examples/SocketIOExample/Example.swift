import SocketIOServer

struct Message: Codable, Sendable {
  var from: String
  var text: String
}

@main
enum Example {
  static func main() async throws {
    let server = SocketIOServer()

    var chat = NamespaceHandlers()
    chat.admit = { request in
      let credentials = try? request.auth(as: [String: String].self)
      return credentials?["token"] == "secret" ? .accept() : .refuse(message: "not authorized")
    }
    chat.on("join", as: String.self) { socket, room, acknowledge in
      if room.utf8.count <= 40 { socket.join("room:\(room)") }
      acknowledge?()
    }
    chat.on("say", as: Message.self) { socket, message, acknowledge in
      try? socket.broadcast("said", message, to: socket.rooms)
      acknowledge?()
    }
    server.namespace("/chat", configure: chat)

    try await server.run(port: 3000)
  }
}
