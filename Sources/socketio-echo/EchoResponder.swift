import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SocketIOProtocol
import SocketIOServer

/// A request and its connection.
struct EchoContext: RequestContext {
  typealias Source = ApplicationRequestContextSource

  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }
}

/// Passes Socket.IO requests to the server; in rig mode, answers the load tools.
struct EchoResponder: HTTPResponder {
  typealias Context = EchoContext

  let server: SocketIOServer
  let hasRig: Bool

  func respond(to request: Request, context: EchoContext) async throws -> Response {
    if server.isSocketPath(request.uri.path) {
      return await server.respond(to: request, channel: context.channel)
    }
    switch (hasRig, request.method, request.uri.path) {
    case (true, .post, "/emit"): return try await emit(request)
    case (true, .get, "/stats"): return stats
    default: return Response(status: .notFound)
    }
  }

  /// `POST /emit?nsp=<namespace>&event=<name>[&room=<room>]`: the body becomes the event's argument.
  private func emit(_ request: Request) async throws -> Response {
    let query = QueryString((request.uri.query ?? "")[...])
    guard let namespace = query["nsp"], let event = query["event"] else { return Response(status: .badRequest) }
    let body = Array(try await request.body.collect(upTo: 1_000_000).readableBytesView)
    guard JSONScanner.isValue(body) else { return Response(status: .badRequest) }
    let rooms = query["room"].map { Set([$0]) } ?? []
    server.emit(event, SocketArguments([body]), to: BroadcastTarget(namespace: namespace, rooms: rooms))
    return Response(status: .ok)
  }

  private var stats: Response {
    let stats = server.stats
    let json = """
      {"pid":\(ProcessInfo.processInfo.processIdentifier),"sessions":\(stats.sessions),"sockets":\(stats.sockets),"namespaces":\(stats.namespaces)}
      """
    return Response(
      status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: ByteBuffer(string: json)))
  }
}
