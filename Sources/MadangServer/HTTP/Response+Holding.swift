import Hummingbird

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
