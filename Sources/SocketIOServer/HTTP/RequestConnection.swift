import HTTPTypes
import HummingbirdCore
import NIOCore

/// What the answering task has of a connection. The connection is closed with the last reference to it: a listener that stops may
/// drop it before a task has it.
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

  /// Runs `work` on the connection's event loop. The answering task is there already; whoever reads or writes for it elsewhere is
  /// taken there.
  func onLoop<Value: Sendable>(_ work: @Sendable (RequestHandler) async throws -> Value) async throws -> Value {
    if channel.eventLoop.inEventLoop { return try await work(handler.value) }
    return try await withTaskExecutorPreference(executor) { try await work(handler.value) }
  }
}

/// The request was answered meanwhile, or somebody else reads its body or writes its response.
struct RequestIsOver: Error {}

/// A response's body has not as many bytes as its head says, or no end. What follows would be taken for a part of it.
struct WrongBodyLength: Error {}

/// The body of a request of which not all has come yet.
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
struct ConnectionBodyWriter: ResponseBodyWriter {
  let connection: RequestConnection

  func write(_ buffer: ByteBuffer) async throws { try await connection.onLoop { try await $0.write(buffer) } }

  consuming func finish(_ trailers: HTTPFields?) async throws {
    try await connection.onLoop { try await $0.writeEnd(trailers) }
  }
}
