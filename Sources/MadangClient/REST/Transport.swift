import AsyncHTTPClient
import Foundation
import MadangAPI
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import SocketIOProtocol

/// Calls over HTTP, independent of sessions: takes a token, and returns an answer or throws a ``MadangError``.
struct Transport: Sendable {
  private let configuration: MadangClient.Configuration
  private let connections: Connections
  private var client: HTTPClient { connections.client }

  init(_ configuration: MadangClient.Configuration) {
    self.init(configuration, settings: ConnectionSettings.make(configuration))
  }

  init(_ configuration: MadangClient.Configuration, settings: HTTPClient.Configuration) {
    self.configuration = configuration
    connections = Connections(
      client: HTTPClient(eventLoopGroup: ConnectionSettings.group, configuration: settings))
  }

  func close() async throws { try await client.shutdown() }

  /// The decoded answer.
  func answer<Response: Decodable>(to call: Call<Response>, token: String?) async throws -> Response {
    let response = try await send(call, token: token)
    let body = try await collect(response)
    do {
      return try ForeignJSON.decode(Response.self, from: Array(body.readableBytesView))
    } catch {
      throw MadangError.unintelligible(
        status: Int(response.status.code), reason: "the body is not a \(Response.self)")
    }
  }

  /// The head of the answer; its body is still to be read.
  /// - Throws: ``MadangError`` for every status but 200.
  func send<Response>(_ call: Call<Response>, token: String?) async throws -> HTTPClientResponse {
    let response = try await reaching { try await client.execute(try request(call, token), timeout: timeout(call)) }
    guard response.status == .ok else { throw await refusal(response) }
    return response
  }

  private func timeout<Response>(_ call: Call<Response>) -> TimeAmount {
    let isTransfer = call.body?.carriesFiles == true || Response.self == FileBytes.self
    return TimeAmount(isTransfer ? configuration.transferTimeout : configuration.callTimeout)
  }

  private func request<Response>(_ call: Call<Response>, _ token: String?) throws -> HTTPClientRequest {
    var request = HTTPClientRequest(url: configuration.server + call.target)
    request.method = HTTPMethod(rawValue: call.endpoint.route.method.rawValue)
    request.headers.add(name: HeaderName.apiKey, value: configuration.apiKey)
    if let token { request.headers.add(name: HeaderName.authorization, value: token) }
    for (name, value) in call.headers { request.headers.add(name: name, value: value) }
    switch call.body {
    case .fields(let fields):
      request.headers.add(name: "Content-Type", value: "application/json")
      var present: [String: String] = [:]
      for case (let field, let value?) in fields { present[field.rawValue] = value }
      request.body = .bytes(ByteBuffer(data: try JSONEncoder().encode(present)))
    case .multipart(let multipart):
      request.headers.add(name: "Content-Type", value: multipart.contentType)
      request.body = .stream(multipart, length: .known(Int64(multipart.length)))
    case nil:
      break
    }
    return request
  }

  private func collect(_ response: HTTPClientResponse) async throws -> ByteBuffer {
    let body = body(of: response)
    var whole = ByteBuffer()
    while var chunk = try await body.next() {
      whole.writeBuffer(&chunk)
      guard whole.readableBytes <= configuration.maxAnswerBytes else {
        throw MadangError.unintelligible(
          status: Int(response.status.code), reason: "more than \(configuration.maxAnswerBytes) bytes")
      }
    }
    return whole
  }

  /// An answer's body, to be read chunk by chunk.
  func body(of response: HTTPClientResponse) -> AnswerBody {
    AnswerBody(response.body, over: self, pause: TimeAmount(configuration.readTimeout))
  }

  /// Reads an answer to its end and ignores it, so that its connection can be reused.
  func drain(_ response: HTTPClientResponse) async throws { _ = try await collect(response) }

  private func refusal(_ response: HTTPClientResponse) async -> MadangError {
    let status = Int(response.status.code)
    do {
      let body = try await collect(response)
      let error = try ForeignJSON.decode(ErrorBody.self, from: Array(body.readableBytesView))
      guard let code = ErrorCode(rawValue: error.errorCode) else {
        return .unintelligible(status: status, reason: "unknown code \(error.errorCode)")
      }
      return .refused(code, status: status, reason: response.headers.first(name: HeaderName.reason))
    } catch let error as MadangError {
      return error
    } catch {
      return .unintelligible(status: status, reason: "no error body")
    }
  }

  /// Runs network work and converts its errors to ``MadangError``.
  func reaching<Result>(_ work: () async throws -> Result) async throws -> Result {
    do {
      return try await work()
    } catch let error as MadangError {
      throw error
    } catch {
      // In a cancelled task, the cancellation is the cause of any error.
      if Task.isCancelled || error is CancellationError || error as? HTTPClientError == .cancelled {
        throw CancellationError()
      }
      throw unreachable(NetworkProblem.words(of: error))
    }
  }

  func unreachable(_ reason: String) -> MadangError { .unreachable(host: configuration.server, reason: reason) }
}

/// The connections of a client, which end with the last reference to them, if they were not closed before.
private final class Connections: Sendable {
  let client: HTTPClient

  init(client: HTTPClient) { self.client = client }

  // An HTTPClient that was not shut down ends the process in debug builds, and leaks in others.
  deinit { client.shutdown { _ in } }
}
