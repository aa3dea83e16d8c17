import Hummingbird
import Logging
import NIOCore

/// The HTTP server of a provider, for tests.
package struct FakeProvider: Sendable {
  package struct Call: Sendable {
    package let method: String
    package let path: String
    package let authorization: String?
    package let headers: [String: String]
    package let body: String
  }

  package typealias Answer = (status: Int, json: String)

  package let url: String

  /// Serves on a free port while `body` runs.
  package static func run(
    _ answer: @escaping @Sendable (Call) async throws -> Answer,
    redirectingTo location: (@Sendable (Call) -> String)? = nil,
    _ body: (FakeProvider) async throws -> Void
  ) async throws {
    let respond = { @Sendable (request: Request) async throws -> Response in
      let bytes = try await request.body.collect(upTo: 1 << 20)
      let call = Call(
        method: request.method.rawValue, path: request.uri.path, authorization: request.headers[.authorization],
        headers: Dictionary(
          request.headers.map { ($0.name.canonicalName, $0.value) }, uniquingKeysWith: { first, _ in first }),
        body: String(buffer: bytes))
      let reply = try await answer(call)
      var response = Response(
        status: .init(code: reply.status), headers: [.contentType: "application/json"],
        body: .init(byteBuffer: ByteBuffer(string: reply.json)))
      if let location { response.headers[.location] = location(call) }
      return response
    }
    try await withServer(respond) { try await body(FakeProvider(url: $0)) }
  }
}

/// Serves on a free local port while `body` runs. `body` gets the URL without a final slash.
func withServer(
  _ respond: @escaping @Sendable (Request) async throws -> Response, _ body: (String) async throws -> Void
) async throws {
  let (ports, running) = AsyncStream.makeStream(of: Int.self)
  let responder = CallbackResponder { (request: Request, _: BasicRequestContext) in try await respond(request) }
  var logger = Logger(label: "fake")
  logger.logLevel = .critical
  let application = Application(
    responder: responder, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
    onServerRunning: { running.yield($0.localAddress?.port ?? 0) }, logger: logger)
  let server = Task { try await application.run() }
  let result: Result<Void, any Error>
  do {
    var port = ports.makeAsyncIterator()
    try await body("http://127.0.0.1:\(await port.next() ?? 0)")
    result = .success(())
  } catch { result = .failure(error) }
  server.cancel()
  _ = await server.result
  try result.get()
}
