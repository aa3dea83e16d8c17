public import Hummingbird
import SocketIOPostgres
public import SocketIOServer

/// Who is behind a socket.
struct User: Sendable {
  let name: String
}

/// What somebody is told.
struct Note: Codable, Sendable {
  var user: String
  var text: String
}

/// Tells people what other programs have for them: `POST /notes` with `{"user":"mina","text":"..."}` reaches all of Mina's
/// sockets, at whichever node they are.
public struct NotifierServer: Sendable {
  public let socketIO: SocketIOServer
  private let tokens: Tokens
  private let sendersToken: String

  /// - Parameters:
  ///   - tokens: Of those who listen.
  ///   - sendersToken: What programs show that tell somebody something.
  ///   - database: PostgreSQL, by which several nodes are one; nil for a node alone.
  ///   - adapter: Another way for nodes to be one.
  ///   - node: The node's name, another one for each, by which a proxy finds the node of a session.
  public init(
    tokens: Tokens, sendersToken: String, database: String? = nil, adapter: (any SocketIOAdapter)? = nil,
    node: String? = nil
  ) {
    self.tokens = tokens
    self.sendersToken = sendersToken
    var configuration = SocketIOServer.Configuration()
    configuration.adapter = adapter ?? database.map { PostgresAdapter(url: $0) }
    configuration.node = node
    socketIO = SocketIOServer(configuration: configuration)

    var notes = NamespaceHandlers()
    notes.use { request, data in
      guard let token = try? request.auth(as: [String: String].self)["token"], let user = tokens.user(of: token) else {
        throw ConnectRefusal(message: "not authorized")
      }
      data[User.self] = User(name: user)
    }
    // A room of each user: all their phones and pages are in it.
    notes.connected = { socket in
      if let user = socket[User.self] { socket.join("user:\(user.name)") }
    }
    socketIO.namespace("/notes", configure: notes)
  }

  /// The HTTP application with the sockets on the same port.
  public func application(
    port: Int, onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
  ) -> some ApplicationProtocol {
    let router = Router(context: NotifierContext.self)
    router.post("notes") { request, context in
      guard let shown = request.headers[.authorization], tokens.isSame(shown, "Bearer \(sendersToken)") else {
        throw HTTPError(.unauthorized)
      }
      let note = try await request.decode(as: Note.self, context: context)
      try socketIO.emit("note", note.text, to: BroadcastTarget(namespace: "/notes", rooms: ["user:\(note.user)"]))
      return HTTPResponse.Status.accepted
    }
    return Application(
      responder: NotifierResponder(socketIO: socketIO, application: router.buildResponder()),
      server: socketIO.httpServer(), configuration: .init(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { await onRunning($0.localAddress?.port ?? port) })
  }
}
