import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A TCP connection that gives a test access to every byte.
package actor Wire {
  package struct Closed: Error {
    package init() {}
  }

  private let channel: any Channel
  private var iterator: AsyncStream<ByteBuffer>.Iterator
  private var buffer = ByteBuffer()
  private let failure: Failure

  /// - Parameters:
  ///   - isReading: False to read next to nothing until ``startReading()``.
  ///   - keepsOpen: Whether this side stays open after the peer has closed its own.
  package static func connect(_ port: Int, isReading: Bool = true, keepsOpen: Bool = false) async throws -> Wire {
    let (stream, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
    let failure = Failure()
    var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(.seconds(60))
      .channelOption(.allowRemoteHalfClosure, value: keepsOpen)
    if !isReading {
      bootstrap = bootstrap.channelOption(.autoRead, value: false).channelOption(.socketOption(.so_rcvbuf), value: 4096)
    }
    let channel =
      try await bootstrap
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Receiver(continuation, failure))
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
    return Wire(channel, stream, failure)
  }

  private init(_ channel: any Channel, _ stream: AsyncStream<ByteBuffer>, _ failure: Failure) {
    self.channel = channel
    self.failure = failure
    iterator = stream.makeAsyncIterator()
  }

  package func startReading() async throws { try await channel.setOption(.autoRead, value: true).get() }

  package func send(_ bytes: [UInt8]) async throws {
    try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
  }

  /// The next `count` bytes.
  ///
  /// - Throws: `Closed` if the peer closes the connection before.
  package func read(_ count: Int) async throws -> [UInt8] {
    while true {
      if let bytes = buffer.readBytes(length: count) { return bytes }
      try await more()
    }
  }

  /// Drops the rest of the last read.
  package func dropRest() { buffer.clear() }

  /// The next line, without its end.
  package func readLine() async throws -> String {
    while true {
      if let end = buffer.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
        let length = end - buffer.readerIndex + 1
        return String(decoding: (buffer.readBytes(length: length) ?? []).dropLast(2), as: UTF8.self)
      }
      try await more()
    }
  }

  /// All bytes until the peer closes the connection.
  package func readToEnd() async -> [UInt8] {
    while (try? await more()) != nil {}
    return buffer.readBytes(length: buffer.readableBytes) ?? []
  }

  /// Whether the peer reset the connection; false while it is open, and if the peer closed it.
  package var wasReset: Bool { failure.isReset }

  private func more() async throws {
    var iterator = iterator
    guard let bytes = await iterator.next(isolation: self) else { throw Closed() }
    self.iterator = iterator
    buffer.writeImmutableBuffer(bytes)
  }

  /// Closes the connection without a closing handshake.
  package nonisolated func abort() {
    channel.close(promise: nil)
  }

  /// Closes only the sending direction.
  package nonisolated func finish() {
    channel.close(mode: .output, promise: nil)
  }

  package nonisolated func stopReading() async throws {
    try await channel.setOption(.autoRead, value: false).get()
  }

  package nonisolated func resumeReading() async throws {
    try await channel.setOption(.autoRead, value: true).get()
  }

  private final class Failure: Sendable {
    private let code = Mutex<CInt?>(nil)

    // A write that follows a reset fails in its own way.
    var isReset: Bool { code.withLock { $0 == ECONNRESET || $0 == EPIPE } }

    func note(_ error: IOError) { code.withLock { $0 = $0 ?? error.errnoCode } }
  }

  private final class Receiver: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let continuation: AsyncStream<ByteBuffer>.Continuation
    private let failure: Failure

    init(_ continuation: AsyncStream<ByteBuffer>.Continuation, _ failure: Failure) {
      self.continuation = continuation
      self.failure = failure
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      continuation.yield(unwrapInboundIn(data))
    }

    func channelInactive(context: ChannelHandlerContext) {
      continuation.finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      if let error = error as? IOError { failure.note(error) }
      context.close(promise: nil)
    }
  }
}
