import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import SocketIOProtocol
import Synchronization

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

  /// The call was sent, in part at least, and the provider did not answer: it may have done what it was called for.
  struct Unanswered: Error {
    let cause: any Error
  }

  let timeout: Duration
  /// It follows no redirects: keys and tokens go to the address in the settings, and nowhere else.
  private static let client = {
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    // A call that is not answered in time takes its connection with it. Over HTTP/2 the next ones would share it and fail, too,
    // where a network swallows packets.
    configuration.httpVersion = .http1Only
    // Whoever calls bounds the calls under way.
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1000
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }()
  private static let maxAnswer = 1 << 20

  func get(_ url: String, headers: HTTPHeaders = [:]) async throws -> Answer {
    var request = HTTPClientRequest(url: url)
    request.headers = headers
    return try await send(request)
  }

  /// Throws ``Unanswered`` if the provider may have got the call, else what kept the call from it.
  func post(_ url: String, headers: HTTPHeaders = [:], type: String = "application/json", _ body: [UInt8]) async throws
    -> Answer
  {
    var request = HTTPClientRequest(url: url)
    request.method = .POST
    request.headers = headers
    request.headers.replaceOrAdd(name: "Content-Type", value: type)
    // Asked for once there is a connection to send it over.
    let isAskedFor = Flag()
    let body = ByteBuffer(bytes: body)
    request.body = .stream(
      AsyncStream(unfolding: { isAskedFor.set() ? nil : body }), length: .known(Int64(body.readableBytes)))
    do { return try await send(request) } catch {
      throw isAskedFor.isSet ? Unanswered(cause: error) : error
    }
  }

  private final class Flag: Sendable {
    private let state = Atomic(false)

    var isSet: Bool { state.load(ordering: .acquiring) }

    /// Answers whether it was set before.
    func set() -> Bool { state.exchange(true, ordering: .acquiringAndReleasing) }
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
