import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import SocketIOProtocol
import Synchronization

/// Calls to providers, with limits on time and on the size of the answer.
package struct ProviderCalls: Sendable {
  package struct Answer: Sendable {
    package let status: Int
    let body: [UInt8]
    /// How long the provider asks to wait, at most an hour; zero if it does not say, or gives a date.
    var pause: Duration = .zero

    /// The JSON body, with snake-case keys read as camel case.
    func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
      try ForeignJSON.decode(type, from: body, keys: .convertFromSnakeCase)
    }
  }

  /// The provider's answer cannot be used.
  package struct Unusable: Error {
    package let status: Int
  }

  package struct TimedOut: Error {
    package init() {}
  }

  /// The call was sent, at least in part, and the provider did not answer: it may have carried it out.
  struct Unanswered: Error {
    let cause: any Error
  }

  /// The provider could not be reached over TLS.
  struct NoTLS: Error, CustomStringConvertible {
    let description: String
  }

  let timeout: Duration
  private let connections: ProviderConnections
  private static let maxAnswer = 1 << 20

  package init(timeout: Duration, over connections: ProviderConnections = ProviderConnections()) {
    (self.timeout, self.connections) = (timeout, connections)
  }

  package func get(_ url: String, headers: HTTPHeaders = [:]) async throws -> Answer {
    var request = HTTPClientRequest(url: url)
    request.headers = headers
    return try await send(request)
  }

  /// Throws ``Unanswered`` if the provider may have got the call, otherwise the error that prevented it.
  func post(_ url: String, headers: HTTPHeaders = [:], type: String = "application/json", _ body: [UInt8]) async throws
    -> Answer
  {
    var request = HTTPClientRequest(url: url)
    request.method = .POST
    request.headers = headers
    request.headers.replaceOrAdd(name: "Content-Type", value: type)
    // Called once there is a connection to send it over.
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

    /// Returns whether it was set before.
    func set() -> Bool { state.exchange(true, ordering: .acquiringAndReleasing) }
  }

  /// Throws ``TimedOut``, ``NoTLS``, or the error of the connection.
  private func send(_ request: HTTPClientRequest) async throws -> Answer {
    let client = connections.client
    do { return try await send(request, by: client) } catch {
      connections.failed(client)
      // The library's own text has places in its source code.
      if error is NIOSSLError || error is NIOSSLExtraError || error is BoringSSLError {
        throw NoTLS(description: networkWords(error))
      }
      throw error
    }
  }

  private func send(_ request: HTTPClientRequest, by client: ProviderConnections.Client) async throws -> Answer {
    // Its connections stay open while it is referenced.
    defer { withExtendedLifetime(client) {} }
    return try await withThrowingTaskGroup(of: Answer?.self) { group in
      group.addTask {
        // A little less, so that it can report the reason of the failure.
        let response = try await client.http.execute(request, timeout: .nanoseconds(timeout.nanoseconds / 10 * 9))
        let body = try await response.body.collect(upTo: Self.maxAnswer)
        let seconds = response.headers.first(name: "Retry-After").flatMap { Int($0) } ?? 0
        return Answer(
          status: Int(response.status.code), body: Array(body.readableBytesView),
          pause: .seconds(min(max(seconds, 0), 3600)))
      }
      // The client's own time limit ends with the head of the answer.
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
