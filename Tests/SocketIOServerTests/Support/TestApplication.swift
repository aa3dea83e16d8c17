import SocketIOProtocol
import SocketIOServer

/// `/` and every namespace that begins with `/open`: every client may join. `/guarded`: only with a good token, and after a delay if it
/// says so. `/silent`: no handlers.
enum TestApplication {
  static func install(on server: SocketIOServer, _ journal: Journal) {
    var handlers = NamespaceHandlers()
    handlers.connected = { socket in journal.note("connected \(socket.namespace)") }
    handlers.disconnected = { socket, reason in journal.note("left \(socket.namespace): \(reason.rawValue)") }
    handlers.onAny { socket, event in handle(event, from: socket) }
    server.namespace(
      where: { $0 == "/" || $0.hasPrefix("/open") }, described: "/ and /open…", configure: handlers)
    handlers.admit = { request in await admit(request, journal) }
    server.namespace("/guarded", configure: handlers)
    server.namespace("/silent", configure: NamespaceHandlers())
  }

  private static func admit(_ request: ConnectRequest, _ journal: Journal) async -> Admission {
    switch String(decoding: request.auth, as: UTF8.self) {
    case #"{"token":"good"}"#:
      return .accept(SocketData(TestUser(number: 7, name: "good")))
    case #"{"token":"slow"}"#:
      await journal.add("considering")
      await journal.wait(for: "decide")
      if Task.isCancelled { await journal.add("cancelled") }
      return .accept()
    case #"{"token":"hang"}"#:
      await journal.add("hanging")
      try? await Task.sleep(for: .seconds(3600))
      await journal.add("cancelled")
      return .accept()
    default:
      return .refuse(message: "not allowed", data: Array(#"{"code":1}"#.utf8))
    }
  }

  private static func handle(_ event: Socket.Event, from socket: Socket) {
    let arguments = event.arguments
    let first = arguments.values.first.flatMap { JSONText.string($0[...]) } ?? ""
    switch event.name {
    case "echo":
      if let acknowledge = event.acknowledge { acknowledge(arguments) } else { socket.emit("echo-back", arguments) }
    case "twice":
      event.acknowledge?(arguments)
      event.acknowledge?(arguments)
    case "data": event.acknowledge?(SocketArguments([JSONText.quotedBytes(socket[TestUser.self]?.name ?? "")]))
    case "join":
      socket.join(first)
      event.acknowledge?(SocketArguments())
    case "leave":
      socket.leave(first)
      event.acknowledge?(SocketArguments())
    case "others": socket.broadcast("said", arguments)
    case "to-room": socket.broadcast("said", arguments[1...], to: [first])
    case "ask", "ask-briefly":
      Task {
        let timeout: Duration = event.name == "ask" ? .seconds(30) : .milliseconds(50)
        let answer = try? await socket.emit("question", arguments, timeout: timeout)
        socket.emit("answer", answer ?? SocketArguments([Array(#""timeout""#.utf8)]))
      }
    case "bye": socket.disconnect()
    case "bye-all": socket.disconnect(closingSession: true)
    default: break
    }
  }
}

extension Journal {
  /// For code that cannot await.
  nonisolated func note(_ entry: String) {
    Task { await self.add(entry) }
  }
}

/// The application's data of sockets, which is shared with other servers.
struct TestUser: SharedSocketData, Equatable {
  static let socketDataName = "user"

  var number: Int64
  var name: String
}
