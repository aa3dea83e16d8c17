import HTTPTypes
import HummingbirdCore
import NIOCore
import SocketIOProtocol

/// Converts answers to HTTP responses.
struct PollingResponse {
  private let headers: HTTPFields
  private let jsonp: JSONP?
  private let coding: ContentCoding?
  private let compressionThreshold: Int
  private let cookie: SocketIOServer.SessionCookie?
  private let request: EngineRequest
  private let responseFields: (@Sendable (SocketIOServer.EngineHTTPRequest) -> HTTPFields)?

  init(to request: EngineRequest, _ configuration: SocketIOServer.Configuration) {
    var headers = configuration.cors.headers(for: request.headers)
    let agent = request.headers[.userAgent] ?? ""
    if agent.contains("MSIE") || agent.contains("Trident"), let name = HTTPField.Name("X-XSS-Protection") {
      headers[name] = "0"
    }
    self.headers = headers
    jsonp = JSONP(request.query)
    compressionThreshold = configuration.compressionThreshold ?? .max
    coding = compressionThreshold < .max ? ContentCoding(accepted: request.headers[.acceptEncoding]) : nil
    cookie = configuration.cookie
    self.request = request
    responseFields = configuration.responseFields
  }

  /// - Parameter sid: The session that this answer opens, if any.
  func answer(_ answer: PollingAnswer, opening sid: String? = nil) async throws(Refusal) -> Response {
    switch answer {
    case .payload(let bytes, let isBinary, let mayBeCompressed):
      let type = isBinary ? "application/octet-stream" : "text/plain; charset=UTF-8"
      return await payload(jsonp?.script(bytes) ?? bytes, type, mayBeCompressed ? coding : nil, opening: sid)
    case .posted: return success(Array("ok".utf8), "text/html")
    // On a reset connection no answer arrives.
    case .broken, .reset: return empty(.badRequest)
    case .refused(let refusal): throw Refusal(refusal)
    }
  }

  func refusal(_ refusal: Refusal) -> Response {
    var headers = headers
    headers[.contentType] = "application/json"
    return Response(
      status: refusal.status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: refusal.body)))
  }

  func empty(_ status: HTTPResponse.Status) -> Response {
    Response(status: status, headers: headers)
  }

  private func payload(
    _ body: [UInt8], _ contentType: String, _ coding: ContentCoding?, opening sid: String?
  ) async -> Response {
    var coded: [UInt8]?
    if body.count >= compressionThreshold, let coding {
      // Off the event loop, because other clients wait for it: the body may be as large as the limit of one client's queue.
      coded = await withTaskExecutorPreference(globalConcurrentExecutor) { await Self.compressed(body, coding) }
    }
    var response = success(coded ?? body, contentType)
    if let coding, coded != nil { response.headers[.contentEncoding] = coding.rawValue }
    if let cookie, let sid {
      // In addition to the cookies of `responseFields`.
      response.headers.append(HTTPField(name: .setCookie, value: cookie.field(sid: sid)))
    }
    return response
  }

  @concurrent private static func compressed(_ body: [UInt8], _ coding: ContentCoding) async -> [UInt8]? {
    coding.compress(body)
  }

  private func success(_ body: [UInt8], _ contentType: String) -> Response {
    var headers = headers
    headers[.contentType] = contentType
    headers[.cacheControl] = "no-store"
    if let responseFields { headers.replace(with: responseFields(.init(request))) }
    return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: body)))
  }
}
