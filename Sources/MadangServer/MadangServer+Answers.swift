import Hummingbird
import MadangOperations
import NIOCore
import SocketIOServer

extension MadangServer {
  /// Answers a request. It is for sockets, for the annex, for a row without a key, or a call of an edition; tried in this order.
  package func answer(_ request: Request, over channel: any NIOCore.Channel) async throws -> Answer {
    if socketIO.isSocketPath(request.head.pathWithoutQuery) {
      return Answer(response: await socketIO.respond(to: request, channel: channel))
    }
    service.reports.loopback?.saw(request, from: channel.remoteAddress)
    let received = ReceivedRequest(request, over: channel, at: service)
    if let answer = try await annex?.answer(received) {
      await received.body.finish()
      return answer
    }
    if let response = try await received.answerWithoutKey() { return Answer(response: response) }
    if let response = service.crossOrigin.preflight(received) {
      await received.body.finish()
      return Answer(response: response)
    }
    var answer = await Responder(received).answer()
    service.crossOrigin.share(&answer.response, with: received)
    return answer
  }

  /// Answers a request of the listener for operators only.
  func answerOperators(_ request: Request, over channel: any NIOCore.Channel) async throws -> Answer {
    let received = ReceivedRequest(request, over: channel, at: service, isForOperators: true)
    return Answer(response: try await received.answerWithoutKey() ?? Response(status: .notFound))
  }
}

extension ReceivedRequest {
  /// The answer of a row that needs no key. Nil if no row matches, or if this server does not have what it is for.
  fileprivate func answerWithoutKey() async throws -> Response? {
    guard let (row, parameters) = service.routes.withoutKey.find(request.method.rawValue, target.segments),
      row.kind == .operators || !isForOperators, var response = try await row.handler(self, parameters)
    else { return nil }
    if row.kind == .operators { return response }
    if row.kind == .page, service.settings.tls.isUsed {
      response.headers[.strictTransportSecurity] = "max-age=31536000"
    }
    await body.finish()
    return response
  }
}
