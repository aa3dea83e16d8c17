import Hummingbird
import NIOCore
import SocketIOServer

struct ChatContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }
}

struct SocketMiddleware: RouterMiddleware {
  let server: SocketIOServer

  func handle(
    _ request: Request, context: ChatContext, next: (Request, ChatContext) async throws -> Response
  ) async throws -> Response {
    guard server.isSocketPath(request.uri.path) else { return try await next(request, context) }
    return await server.respond(to: request, channel: context.channel)
  }
}

let server = SocketIOServer()
var chat = NamespaceHandlers()
chat.on("say") { socket, event in socket.broadcast("said", event.arguments) }
server.namespace("/", configure: chat)

let router = Router(context: ChatContext.self)
router.add(middleware: SocketMiddleware(server: server))
router.get("/health") { _, _ in "ok" }

let application = Application(
  router: router, server: server.httpServer(),
  configuration: .init(address: .hostname("127.0.0.1", port: 3000)))
try await server.run(application, stopsOnSignals: true)
