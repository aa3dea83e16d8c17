import AsyncHTTPClient
import MadangAPI
import NIOCore
import NIOHTTP1
import NIOPosix
import SocketIOClient

/// The server whose wire is looked at.
package struct ServerUnderTest: Sendable {
  package let url: String
  package let keys: [EditionName: String]
  /// Whether it has the calls under `/_dev` of a server in development mode.
  package let isInDevelopment: Bool
  /// How long an answer or a packet may take: by default longer than any client waits.
  let patience: Duration
  /// How its certificate is checked.
  let tls: SocketIOClient.TLS
  private let http: HTTPClient
  private let pace = Pace()
  /// Where the requests of a rule are kept.
  private(set) var requests = RequestLog(keys: [])

  private static let maxAnswer = 64 << 20

  /// Runs `body` with connections to a server, which are closed afterwards.
  /// - Parameters:
  ///   - url: Scheme, host and port, without a path.
  ///   - patience: How long an answer or a packet may take. A server that sends it later has not sent it.
  ///   - authorities: A PEM file of certificate authorities to trust in addition to the system's; nil for none.
  package static func with<Result: Sendable>(
    _ url: String, keys: [EditionName: String], isInDevelopment: Bool = false, patience: Duration = .seconds(20),
    authorities: String? = nil, _ body: (ServerUnderTest) async throws -> Result
  ) async throws -> Result {
    var settings = HTTPClient.Configuration(redirectConfiguration: .disallow)
    settings.httpVersion = .http1Only
    settings.timeout.connect = TimeAmount(patience)
    // Polls that wait hold connections.
    settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1024
    settings.connectionPool.retryConnectionEstablishment = false
    var tls = SocketIOClient.TLS()
    tls.additionalRoots = authorities.map { .file($0) }
    settings.tlsConfiguration = try tls.configuration()
    let http = HTTPClient(
      eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton), configuration: settings)
    let server = ServerUnderTest(
      url: url, keys: keys, isInDevelopment: isInDevelopment, patience: patience, tls: tls, http: http)
    do {
      let result = try await body(server)
      try await http.shutdown()
      return result
    } catch {
      try? await http.shutdown()
      throw error
    }
  }

  /// Makes sure that something answers at the address. Throws what the network says if nothing does.
  package func reach() async throws {
    _ = try await http.execute(HTTPClientRequest(url: url + "/v1"), timeout: TimeAmount(patience))
  }

  /// The editions whose key the server takes for none of its own.
  package func editionsOfRefusedKeys() async -> [EditionName] {
    var refused: [EditionName] = []
    for edition in EditionName.allCases {
      guard let key = keys[edition] else { continue }
      let answer = try? await send(
        .GET, "/v1/workspaces", headers: [(HeaderName.apiKey, key)], hasSession: true)
      if answer?.code == ErrorCode.badKey.rawValue { refused.append(edition) }
    }
    return refused
  }

  /// Makes one request and reads all of the answer.
  /// - Parameters:
  ///   - hasSession: Whether the server counts it for a session, not for this address.
  ///   - limit: How long the answer may take; nil for ``patience``.
  /// - Throws: ``Violation`` if there is no whole answer.
  func send(
    _ method: HTTPMethod, _ target: String, headers: [(String, String)] = [], _ body: RequestBody = .none,
    hasSession: Bool, limit: Duration? = nil
  ) async throws -> Answer {
    let request = requests.add(Request(method: method, url: url + target, headers: headers, body: body))
    if !hasSession { try await pace.wait() }
    var message = HTTPClientRequest(url: request.url)
    message.method = method
    message.headers = HTTPHeaders(headers)
    if let type = body.type { message.headers.add(name: "Content-Type", value: type) }
    if let bytes = body.bytes { message.body = .bytes(ByteBuffer(bytes: bytes)) }
    do {
      let response = try await http.execute(message, timeout: TimeAmount(limit ?? patience))
      let bytes = try await response.body.collect(upTo: Self.maxAnswer)
      let answer = Answer(
        request: request, status: Int(response.status.code), headers: response.headers,
        body: Array(bytes.readableBytesView))
      requests.learn(from: answer)
      return answer
    } catch is CancellationError {
      throw CancellationError()
    } catch let error as HTTPClientError where error == .cancelled {
      throw CancellationError()
    } catch {
      throw Violation(expected: "an answer to \(request.call)", seen: "\(error)")
    }
  }

  /// The same server with a fresh log, for a rule of an edition.
  func recorded(for edition: EditionName) -> ServerUnderTest {
    var server = self
    let others = EditionName.allCases.filter { $0 != edition }
    server.requests = RequestLog(keys: ([edition] + others).map { keys[$0] ?? "" })
    return server
  }

  var address: ServerAddress { get throws { try ServerAddress(url: url) } }
}
