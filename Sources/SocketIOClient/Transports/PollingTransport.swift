import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import SocketIOProtocol

/// Engine.IO packets over HTTP long-polling.
struct PollingTransport: Sendable {
  let http: HTTPClient
  let origin: String
  let configuration: SocketIOClient.Configuration

  /// The most packets of one POST. python-engineio refuses more.
  static let maxPackets = 16

  /// Waits for packets.
  /// - Throws: ``SocketIOClient/Failure``, or why the request failed.
  func get(_ target: String, within time: TimeAmount) async throws -> [EnginePacket] {
    let body = try await exchange(.GET, target, [], within: time)
    do {
      return try EnginePayload.decode(body, configuration.revision)
    } catch {
      throw SocketIOClient.Failure.notSocketIO("its answer holds no packets")
    }
  }

  /// - Throws: ``SocketIOClient/Failure``, or why the request failed.
  func post(_ target: String, _ packets: [EnginePacket], within time: TimeAmount) async throws {
    _ = try await exchange(.POST, target, EnginePayload.encode(packets, configuration.revision), within: time)
  }

  private func exchange(
    _ method: HTTPMethod, _ target: String, _ body: [UInt8], within time: TimeAmount
  ) async throws -> [UInt8] {
    var request = HTTPClientRequest(url: origin + target)
    request.method = method
    request.headers = HTTPHeaders(configuration.headers)
    if method == .POST {
      request.headers.replaceOrAdd(name: "Content-Type", value: "text/plain;charset=UTF-8")
      request.body = .bytes(ByteBuffer(bytes: body))
    }
    do {
      let response = try await http.execute(request, timeout: time)
      let answer = Array(try await response.body.collect(upTo: configuration.maxMessageBytes).readableBytesView)
      guard response.status == .ok else {
        throw SocketIOClient.Failure(status: Int(response.status.code), body: answer)
      }
      return answer
    } catch let error as HTTPClientError {
      if error == .cancelled { throw CancellationError() }
      let isLate = [.deadlineExceeded, .connectTimeout, .readTimeout].contains(error)
      throw isLate ? SocketIOClient.Failure.timedOut : .unreachable(error.shortDescription)
    }
  }
}
