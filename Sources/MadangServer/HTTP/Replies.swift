import HTTPTypes
import Hummingbird
import MadangAPI
import NIOCore

extension HTTPField.Name {
  // The contract's own headers; the names are valid by inspection, `init?` cannot know that.
  package static let apiKey = Self(HeaderName.apiKey) ?? .authorization
  static let refreshToken = Self(HeaderName.refreshToken) ?? .authorization
}

extension Response {
  /// 200 with a JSON body. `no-store` because some GETs change state.
  package static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
    .json(ByteBuffer(bytes: bytes), status: status)
  }

  package static func json(_ bytes: ByteBuffer, status: HTTPResponse.Status = .ok) -> Response {
    Response(status: status, headers: .json, body: ResponseBody(byteBuffer: bytes))
  }

  /// 200 without a body.
  static var nothing: Response { Response(status: .ok, headers: [.cacheControl: "no-store"]) }

  /// A refusal with its one-key body.
  static func refusal(_ refusal: Refusal) -> Response {
    var response = Response.json(refusal.code.body, status: .init(code: refusal.code.status))
    if let seconds = refusal.retryAfter { response.headers[.retryAfter] = String(max(1, seconds)) }
    return response
  }
}

extension ErrorCode {
  /// What a refusal with this code is answered with: JSON with one key.
  package var body: ByteBuffer { ByteBuffer(string: "{\"errorCode\":\"\(rawValue)\"}") }
}

extension HTTPFields {
  /// How many fields ``json`` has. A constant, as every request asks.
  package static var jsonCount: Int { 4 }

  /// Of answers that are JSON.
  package static let json: HTTPFields = [
    .contentType: "application/json; charset=utf-8", .cacheControl: "no-store",
    // Nothing for a browser to run, frame or guess the type of.
    .xContentTypeOptions: "nosniff", .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
  ]
}
