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
  private(set) var rooms: Set<String> = []

  init(name: String) { self.name = name }

  /// Returns whether they may enter: names of rooms have a limit, and so has their number.
  mutating func enter(_ room: String) -> Bool {
    guard (1...RoomChat.maxName).contains(room.utf8.count), rooms.count < RoomChat.maxRooms || rooms.contains(room)
    else {
      return false
    }
    rooms.insert(room)
    return true
  }

  mutating func leave(_ room: String) {
    if room.utf8.count <= RoomChat.maxName { rooms.remove(room) }
  }

  func isIn(_ room: String) -> Bool { room.utf8.count <= RoomChat.maxName && rooms.contains(room) }
}

/// A chat with rooms. Clients join the namespace `/chat` with their name, enter rooms, and hear what is said there.
public enum RoomChat {
  public static let namespace = "/chat"
  /// Of names of people and of rooms, in bytes.
  static let maxName = 40
  static let maxText = 2000
  /// In how many rooms one may be.
  static let maxRooms = 20

  /// What a room is called on the server. Every socket is in a room that has its id for a name, and nobody is to enter those.
  private static func name(of room: String) -> String { "room:\(room)" }

  /// A server that clients may connect to once it runs.
  public static func server() -> SocketIOServer {
    let server = SocketIOServer()
    var chat = NamespaceHandlers()

    chat.use { request, data in
      guard let name = try? request.auth(as: [String: String].self)["name"], (1...maxName).contains(name.utf8.count)
      else {
        throw ConnectRefusal(message: "a name of 1 to \(maxName) bytes is needed")
      }
      data[Guest.self] = Guest(name: name)
    }

    chat.on("enter", as: String.self) { socket, room, acknowledge in
      let mayEnter = socket.withData { $0[Guest.self]?.enter(room) ?? false }
      if mayEnter { socket.join(name(of: room)) }
      try? acknowledge?(mayEnter)
    }

    chat.on("leave", as: String.self) { socket, room, acknowledge in
      let wasThere = socket[Guest.self]?.isIn(room) ?? false
      socket.withData { $0[Guest.self]?.leave(room) }
      if wasThere { socket.leave(name(of: room)) }
      try? acknowledge?(wasThere)
    }

    chat.on("say", as: Said.self) { socket, message, acknowledge in
      // Whoever speaks does not choose under whose name, nor where they have not come in.
      guard let guest = socket[Guest.self], guest.isIn(message.room), message.text.utf8.count <= maxText else {
        try? acknowledge?(false)
        return
      }
      let said = Said(room: message.room, from: guest.name, text: message.text)
      try? socket.broadcast("said", said, to: [name(of: message.room)])
      try? acknowledge?(true)
    }

    server.namespace(namespace, configure: chat)
    return server
  }
}
