import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import SocketIOProtocol

/// Calls to other people's servers, bounded in time and in the size of the answer.
struct ProviderCalls: Sendable {
  struct Answer: Sendable {
    let status: Int
    let body: [UInt8]

    /// The JSON body, its snake-case keys read as camel case.
    func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
      try ForeignJSON.decode(type, from: body, keys: .convertFromSnakeCase)
    }
  }

  /// The provider answered, but nothing that can be used.
  struct Unusable: Error {
    let status: Int
  }

  struct TimedOut: Error {}

  /// Whether a call that failed with this error may have reached the provider.
  static func mayHaveArrived(_ error: any Error) -> Bool {
    switch error {
    case is TimedOut: true
    case let error as HTTPClientError:
      [.remoteConnectionClosed, .readTimeout, .writeTimeout, .deadlineExceeded, .uncleanShutdown].contains(error)
    case let error as IOError: [ECONNRESET, EPIPE].contains(error.errnoCode)
    default: false
    }
  }

  let timeout: Duration
  /// It follows no redirects: keys and tokens go to the address in the settings, and nowhere else.
  private static let client = HTTPClient(
    eventLoopGroupProvider: .singleton, configuration: .init(redirectConfiguration: .disallow))
  private static let maxAnswer = 1 << 20

  func get(_ url: String, headers: HTTPHeaders = [:]) async throws -> Answer {
    var request = HTTPClientRequest(url: url)
    request.headers = headers
    return try await send(request)
  }

  func post(_ url: String, headers: HTTPHeaders = [:], type: String = "application/json", _ body: [UInt8]) async throws
    -> Answer
  {
    var request = HTTPClientRequest(url: url)
    request.method = .POST
    request.headers = headers
    request.headers.replaceOrAdd(name: "Content-Type", value: type)
    request.body = .bytes(ByteBuffer(bytes: body))
    return try await send(request)
  }

  /// Throws ``TimedOut``, or what the connection failed with.
  private func send(_ request: HTTPClientRequest) async throws -> Answer {
    try await withThrowingTaskGroup(of: Answer?.self) { group in
      group.addTask {
        // A little less: it can tell what the call failed with.
        let response = try await Self.client.execute(request, timeout: .nanoseconds(timeout.nanoseconds / 10 * 9))
        let body = try await response.body.collect(upTo: Self.maxAnswer)
        return Answer(status: Int(response.status.code), body: Array(body.readableBytesView))
      }
      // The client's own limit ends with the head of the answer.
      group.addTask {
        try await Task.sleep(for: timeout)
        return nil
      }
      defer { group.cancelAll() }
      guard let answer = try await group.next() ?? nil else { throw TimedOut() }
      return answer
    }
  }
}

extension Duration {
  var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
