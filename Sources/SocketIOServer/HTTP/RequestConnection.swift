import HTTPTypes
import HummingbirdCore
import NIOCore

/// The answering task's access to a connection. The connection is closed with the last reference, because a stopping listener may drop it
/// before a task takes it.
final class RequestConnection: ServerChildChannelValue {
  let channel: any Channel
  let handler: NIOLoopBound<RequestHandler>
  let executor: EventLoopTaskExecutor

  init(_ channel: any Channel, _ handler: RequestHandler, _ share: ConnectionShare) {
    let loop = channel.eventLoop
    self.channel = channel
    self.handler = NIOLoopBound(handler, eventLoop: loop)
    executor = EventLoopTaskExecutor(loop, share: NIOLoopBound(share, eventLoop: loop))
  }

  deinit { channel.close(promise: nil) }

  /// Runs `work` on the connection's event loop. The answering task runs there already; other readers and writers are moved there.
  func onLoop<Value: Sendable>(_ work: @Sendable (RequestHandler) async throws -> Value) async throws -> Value {
    if channel.eventLoop.inEventLoop { return try await work(handler.value) }
    return try await withTaskExecutorPreference(executor) { try await work(handler.value) }
  }
}

/// The request was answered meanwhile, or other code is reading its body or writing its response.
struct RequestIsOver: Error {}

/// The response's body has more or fewer bytes than its head announced, or no end. Further data would be taken for a part of it.
struct WrongBodyLength: Error {}

/// The body of a request that has not completely arrived.
struct RequestBodyParts: AsyncSequence, Sendable {
  private let request: Int
  private let connection: RequestConnection

  /// - Parameter request: The number of the request on its connection.
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

/// Writes the body of the current response.
struct ConnectionBodyWriter: ResponseBodyWriter {
  let connection: RequestConnection

  func write(_ buffer: ByteBuffer) async throws { try await connection.onLoop { try await $0.write(buffer) } }

  consuming func finish(_ trailers: HTTPFields?) async throws {
    try await connection.onLoop { try await $0.writeEnd(trailers) }
  }
}
