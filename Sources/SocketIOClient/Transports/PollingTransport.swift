import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import SocketIOProtocol

/// Engine.IO packets over HTTP long-polling.
struct PollingTransport: Sendable {
  let http: HTTPClient
  let origin: String
  let configuration: SocketIOClient.Configuration

  /// The most packets of one POST. python-engineio refuses more.
  static let maxPackets = 16

  /// The most packets of one answer. Servers send all waiting packets at once, but a body of only separators would take a hundred times its
  /// size in memory.
  static let maxReceivedPackets = 1 << 16

  /// A request and its time limit.
  struct Request {
    let target: String
    let headers: [(String, String)]
    let time: TimeAmount
  }

  /// Waits for packets.
  /// - Throws: ``SocketIOClient/Failure``, or the error of the request.
  func get(_ request: Request) async throws -> (packets: [EnginePacket], cookies: [String]) {
    let (body, cookies) = try await exchange(.GET, request, [])
    do {
      return (try EnginePayload.decode(body, configuration.revision, maxPackets: Self.maxReceivedPackets), cookies)
    } catch {
      throw SocketIOClient.Failure.notSocketIO("its answer has no packets, or too many")
    }
  }

  /// - Returns: The cookies of the answer.
  /// - Throws: ``SocketIOClient/Failure``, or the error of the request.
  func post(_ request: Request, _ packets: [EnginePacket]) async throws -> [String] {
    try await exchange(.POST, request, EnginePayload.encode(packets, configuration.revision)).cookies
  }

  private func exchange(
    _ method: HTTPMethod, _ asked: Request, _ body: [UInt8]
  ) async throws -> (body: [UInt8], cookies: [String]) {
    var request = HTTPClientRequest(url: origin + asked.target)
    request.method = method
    request.headers = HTTPHeaders(asked.headers)
    if method == .POST {
      request.headers.replaceOrAdd(name: "Content-Type", value: "text/plain;charset=UTF-8")
      request.body = .bytes(ByteBuffer(bytes: body))
    }
    do {
      let response = try await http.execute(request, timeout: asked.time)
      let answer = Array(try await response.body.collect(upTo: configuration.maxMessageBytes).readableBytesView)
      guard response.status == .ok else {
        throw SocketIOClient.Failure(status: Int(response.status.code), body: answer)
      }
      return (answer, response.headers["Set-Cookie"])
    } catch let error as HTTPClientError {
      throw SocketIOClient.Failure(polling: error)
    } catch let error as NIOConnectionError where configuration.proxy != nil {
      throw SocketIOClient.Failure(opening: error, over: .polling).ofProxy
    }
  }
}
