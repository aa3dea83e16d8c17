import HTTPTypes
import Hummingbird
import MadangAPI
import NIOCore

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
}

extension HTTPFields {
  /// Of answers that are JSON.
  package static let json: HTTPFields = [
    .contentType: "application/json; charset=utf-8", .cacheControl: "no-store",
    // Nothing for a browser to run, frame or guess the type of.
    .xContentTypeOptions: "nosniff", .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
  ]
}

extension Response {
  /// The same, which holds an object until it is written.
  package func holding(_ object: some AnyObject & Sendable) -> Response {
    var response = self
    let whole = body
    response.body = ResponseBody(contentLength: whole.contentLength) { writer in
      defer { withExtendedLifetime(object) {} }
      try await whole.write(writer)
    }
    return response
  }
}
