import HTTPTypes
import SocketIOProtocol
import SocketIOServer

/// The larger application for other clients and load tools: `/`, `/bench` and every `/ws-channel-<word or dash>`.
struct RigApplication: Sendable {
  let server: SocketIOServer
  let isBare: Bool

  func install() {
    var handlers = NamespaceHandlers()
    handlers.onAny { socket, event in handle(event, from: socket) }
    if !isBare {
      handlers.admit = { request in Self.admit(request) }
      handlers.connected = { socket in welcome(socket) }
    }
    server.namespace("/", configure: handlers)
    server.namespace("/bench", configure: handlers)
    server.namespace(where: Self.isChannel, described: "/ws-channel-<word or dash>", configure: handlers)
  }

  private static func isChannel(_ namespace: String) -> Bool {
    let prefix = "/ws-channel-"
    guard namespace.hasPrefix(prefix), namespace.count > prefix.count else { return false }
    return namespace.dropFirst(prefix.count).allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0))
    }
  }

  private static func admit(_ request: ConnectRequest) -> Admission {
    let members = JSONScanner.members(ofObject: request.auth) ?? []
    let token = members.last { $0.key == "token" }.flatMap { JSONText.string(request.auth[$0.value]) }
    guard token != "bad", header("X-Reject", request.handshake) == nil else {
      return .refuse(message: "Not authorized", data: Array(#"{"code":401}"#.utf8))
    }
    return .accept()
  }

  private func welcome(_ socket: Socket) {
    let handshake = socket.handshake
    let auth = String(decoding: socket.auth, as: UTF8.self)
    let query = String(decoding: handshake.query.jsonObject, as: UTF8.self)
    func quoted(_ name: String) -> String { Self.header(name, handshake).map(JSONText.quoted) ?? "null" }
    let json = """
      {"ns":\(JSONText.quoted(socket.namespace)),"auth":\(auth.isEmpty ? "{}" : auth),"query":\(query),\
      "xtest":\(quoted("X-Test")),"authorization":\(quoted("Authorization")),"eio":\(handshake.revision.rawValue),\
      "transport":"\(socket.currentTransport.rawValue)","recovered":\(socket.isRecovered)}
      """
    socket.emit("welcome", SocketArguments([Array(json.utf8)]))
  }

  private static func header(_ name: String, _ handshake: Handshake) -> String? {
    handshake.headers.first { $0.name.canonicalName == name.lowercased() }?.value
  }

  private func handle(_ event: Socket.Event, from socket: Socket) {
    let arguments = event.arguments
    switch event.name {
    case "echo":
      if let acknowledge = event.acknowledge { acknowledge(arguments) } else { socket.emit("echo-back", arguments) }
    case "join":
      guard let room = string(arguments, 0) else { return }
      socket.join(room)
      event.acknowledge?(SocketArguments([Array(#""joined""#.utf8)]))
    case "enter":
      guard let room = string(arguments, 0) else { return }
      socket.join(room)
      socket.broadcast("entered", SocketArguments([JSONText.quotedBytes(socket.id)]), to: socket.rooms)
      event.acknowledge?(SocketArguments([JSONText.quotedBytes(socket.id)]))
    case "leave":
      guard let room = string(arguments, 0) else { return }
      socket.leave(room)
      event.acknowledge?(SocketArguments())
    case "to-room":
      guard let room = string(arguments, 0), let name = string(arguments, 1) else { return }
      socket.broadcast(name, arguments[2...], to: [room])
    case "ask-me":
      Task { await ask(socket, arguments) }
    case "transport":
      event.acknowledge?(SocketArguments([JSONText.quotedBytes(socket.currentTransport.rawValue)]))
    case "bye": socket.disconnect()
    case "bye-all": socket.disconnect(closingSession: true)
    default: break
    }
  }

  private func ask(_ socket: Socket, _ arguments: SocketArguments) async {
    let question = arguments.values.isEmpty ? arguments : arguments[..<1]
    let limit = (try? arguments.decode(Int.self, at: 1)).map { Duration.milliseconds($0) } ?? .seconds(60)
    let answer = try? await socket.emit("question", question, timeout: limit)
    let nothing = SocketArguments([Array("null".utf8)])
    let timedOut = SocketArguments([Array(#""timeout""#.utf8)])
    socket.emit("answer", answer.map { $0.values.isEmpty ? nothing : $0[..<1] } ?? timedOut)
  }

  private func string(_ arguments: SocketArguments, _ index: Int) -> String? {
    guard arguments.values.indices.contains(index) else { return nil }
    return JSONText.string(arguments.values[index][...])
  }
}
