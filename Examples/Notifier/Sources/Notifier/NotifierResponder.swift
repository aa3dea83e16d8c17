import Hummingbird
import NIOCore
import SocketIOServer

/// Knows by which connection a request came.
struct NotifierContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }
}

/// Hands the requests of sockets to Socket.IO, all others to the application.
struct NotifierResponder<Application: HTTPResponder>: HTTPResponder where Application.Context == NotifierContext {
  let socketIO: SocketIOServer
  let application: Application

  func respond(to request: Request, context: NotifierContext) async throws -> Response {
    guard socketIO.isSocketPath(request.uri.path) else {
      return try await application.respond(to: request, context: context)
    }
    return await socketIO.respond(to: request, channel: context.channel)
  }
}
