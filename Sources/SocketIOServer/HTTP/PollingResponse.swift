import HTTPTypes
import HummingbirdCore
import NIOCore
import SocketIOProtocol

/// Turns answers into HTTP responses.
struct PollingResponse {
  private let headers: HTTPFields

  init(request: Request, configuration: SocketIOServer.Configuration) {
    var headers = configuration.cors.headers(for: request.headers)
    let agent = request.headers[.userAgent] ?? ""
    if agent.contains("MSIE") || agent.contains("Trident"), let name = HTTPField.Name("X-XSS-Protection") {
      headers[name] = "0"
    }
    self.headers = headers
  }

  func answer(_ answer: PollingAnswer) -> Response {
    switch answer {
    case .payload(let bytes, let isBinary):
      success(bytes, isBinary ? "application/octet-stream" : "text/plain; charset=UTF-8")
    case .posted: success(Array("ok".utf8), "text/html")
    case .broken: empty(.badRequest)
    case .refused(let refusal): self.refusal(refusal, nil)
    case .unavailable: empty(.serviceUnavailable)
    }
  }

  func refusal(_ refusal: EngineRefusal, _ message: String?) -> Response {
    var headers = headers
    headers[.contentType] = "application/json"
    return Response(
      status: .init(code: refusal.status), headers: headers,
      body: .init(byteBuffer: ByteBuffer(string: refusal.body(message: message))))
  }

  func empty(_ status: HTTPResponse.Status) -> Response {
    Response(status: status, headers: headers)
  }

  private func success(_ body: [UInt8], _ contentType: String) -> Response {
    var headers = headers
    headers[.contentType] = contentType
    headers[.cacheControl] = "no-store"
    return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: body)))
  }
}
