public import SocketIOServer

/// What somebody said in a room.
public struct Said: Codable, Equatable, Sendable {
  public var room: String
  public var from: String
  public var text: String

  public init(room: String, from: String, text: String) {
    (self.room, self.from, self.text) = (room, from, text)
  }
}

/// Who is behind a socket.
struct Guest: Sendable {
  let name: String
}

/// A chat with rooms. Clients join the namespace `/chat` with their name, enter rooms, and hear what is said there.
public enum RoomChat {
  public static let namespace = "/chat"
  static let maxName = 40
  static let maxText = 2000

  /// A server that clients may connect to once it runs.
  public static func server() -> SocketIOServer {
    let server = SocketIOServer()
    var chat = NamespaceHandlers()

    chat.use { request, data in
      guard let name = try? request.auth(as: [String: String].self)["name"], (1...maxName).contains(name.utf8.count) else {
        throw ConnectRefusal(message: "a name of 1 to \(maxName) bytes is needed")
      }
      data[Guest.self] = Guest(name: name)
    }

    chat.on("enter", as: String.self) { socket, room, acknowledge in
      socket.join(room)
      try? acknowledge?(true)
    }

    chat.on("leave", as: String.self) { socket, room, acknowledge in
      socket.leave(room)
      try? acknowledge?(true)
    }

    chat.on("say", as: Said.self) { socket, message, acknowledge in
      // Whoever speaks does not choose under whose name, nor where they have not come in.
      guard let guest = socket[Guest.self], socket.rooms.contains(message.room), message.text.utf8.count <= maxText else {
        try? acknowledge?(false)
        return
      }
      let said = Said(room: message.room, from: guest.name, text: message.text)
      try? socket.broadcast("said", said, to: [message.room])
      try? acknowledge?(true)
    }

    server.namespace(namespace, configure: chat)
    return server
  }
}
