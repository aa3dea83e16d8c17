import HTTPTypes
import HummingbirdCore
import NIOCore

/// A connection between its event loop and the task that answers its requests. It is closed when nobody has it any more, as when
/// the listener stops before it hands it on.
final class RequestConnection: ServerChildChannelValue {
  let channel: any Channel
  let handler: NIOLoopBound<RequestHandler>
  let executor: EventLoopTaskExecutor

  init(_ channel: any Channel, _ handler: RequestHandler, _ share: LoopShare?) {
    let loop = channel.eventLoop
    self.channel = channel
    self.handler = NIOLoopBound(handler, eventLoop: loop)
    executor = EventLoopTaskExecutor(loop, share: NIOLoopBound(share, eventLoop: loop))
  }

  deinit { channel.close(promise: nil) }

  /// Runs `body` on the event loop, where the task is already, unless it has others read or write for it.
  func onLoop<Value: Sendable>(_ body: @Sendable (RequestHandler) async throws -> Value) async throws -> Value {
    if channel.eventLoop.inEventLoop { return try await body(handler.value) }
    return try await withTaskExecutorPreference(executor) { try await body(handler.value) }
  }
}

/// The body of a request that has not come whole with its head.
struct RequestBodyParts: AsyncSequence, Sendable {
  private let request: Int
  private let connection: RequestConnection

  /// - Parameter request: The number of the request among those of the connection.
  init(request: Int, of connection: RequestConnection) {
    self.request = request
    self.connection = connection
  }

  struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let body: RequestBodyParts

    func next() async throws -> ByteBuffer? {
      let request = body.request
      return try await body.connection.onLoop { try await $0.nextBytes(of: request) }
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: self) }
}

/// Writes the body of the present response.
struct ResponseBodyParts: ResponseBodyWriter {
  let connection: RequestConnection

  func write(_ buffer: ByteBuffer) async throws { try await connection.onLoop { try await $0.write(buffer) } }

  consuming func finish(_ trailers: HTTPFields?) async throws {
    try await connection.onLoop { try $0.writeEnd(trailers) }
  }
}
