import HTTPTypes

extension SocketIOServer.CrossOrigin {
  /// The header fields that let the page of this request read the answer.
  func headers(for request: HTTPFields) -> HTTPFields {
    var fields = HTTPFields()
    switch self {
    case .sameOrigin:
      break
    case .anyOrigin:
      fields[.accessControlAllowOrigin] = "*"
    case .origins(let allowed, let credentials):
      fields[.vary] = "Origin"
      guard let origin = request[.origin], allowed.contains(origin) else { break }
      fields[.accessControlAllowOrigin] = origin
      if credentials { fields[.accessControlAllowCredentials] = "true" }
    }
    return fields
  }

  /// The header fields of the answer to a preflight request; `nil` if pages of other origins are not served.
  func preflightHeaders(for request: HTTPFields) -> HTTPFields? {
    if case .sameOrigin = self { return nil }
    var fields = headers(for: request)
    fields[.accessControlAllowMethods] = "GET,HEAD,PUT,PATCH,POST,DELETE"
    if let wanted = request[.accessControlRequestHeaders] { fields[.accessControlAllowHeaders] = wanted }
    fields.append(HTTPField(name: .vary, value: "Access-Control-Request-Headers"))
    return fields
  }
}
