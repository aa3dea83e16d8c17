import MadangAPI

/// One request: an endpoint, its path with values, query, headers and body.
struct Call<Response>: Sendable {
  let endpoint: Endpoint<Response>
  let path: String
  let query: [(Field, String)]
  let headers: [(String, String)]
  let body: RequestBody?

  init(
    _ endpoint: Endpoint<Response>, _ path: String, query: [(Field, String)] = [], headers: [(String, String)] = [],
    body: RequestBody? = nil
  ) {
    self.endpoint = endpoint
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
  }

  /// Path and query in the form of the request line.
  var target: String {
    query.isEmpty
      ? path : path + "?" + query.map { "\($0.rawValue)=\(percentEncoded($1))" }.joined(separator: "&")
  }
}

/// The body of a request: fields as JSON, or fields and files as multipart.
enum RequestBody: Sendable {
  case fields([(Field, String?)])
  case multipart(Multipart)

  /// Multipart if there is a file to send, otherwise JSON.
  init(_ fields: [(Field, String?)], file: (Field, Upload?), progress: UploadProgress? = nil) {
    self.init(fields, files: file.1.map { [(file.0, $0)] } ?? [], progress: progress)
  }

  init(_ fields: [(Field, String?)], files: [(Field, Upload)], progress: UploadProgress?) {
    self = files.isEmpty ? .fields(fields) : .multipart(Multipart(fields: fields, files: files, progress: progress))
  }

  var carriesFiles: Bool {
    if case .multipart = self { true } else { false }
  }
}
