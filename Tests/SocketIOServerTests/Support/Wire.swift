import NIOCore
import NIOPosix

/// A TCP connection of which a test sees every byte.
actor Wire {
  struct Closed: Error {}

  private let channel: any Channel
  private var iterator: AsyncStream<ByteBuffer>.Iterator
  private var buffer = ByteBuffer()

  static func connect(_ port: Int) async throws -> Wire {
    let (stream, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Receiver(continuation))
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
    return Wire(channel, stream)
  }

  private init(_ channel: any Channel, _ stream: AsyncStream<ByteBuffer>) {
    self.channel = channel
    iterator = stream.makeAsyncIterator()
  }

  func send(_ bytes: [UInt8]) async throws {
    try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
  }

  /// The next `count` bytes.
  ///
  /// - Throws: `Closed` when the peer ends the connection before.
  func read(_ count: Int) async throws -> [UInt8] {
    while true {
      if let bytes = buffer.readBytes(length: count) { return bytes }
      try await more()
    }
  }

  /// The next line, without its end.
  func readLine() async throws -> String {
    while true {
      if let end = buffer.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
        let length = end - buffer.readerIndex + 1
        return String(decoding: (buffer.readBytes(length: length) ?? []).dropLast(2), as: UTF8.self)
      }
      try await more()
    }
  }

  /// Everything until the peer ends the connection.
  func readToEnd() async -> [UInt8] {
    while (try? await more()) != nil {}
    return buffer.readBytes(length: buffer.readableBytes) ?? []
  }

  private func more() async throws {
    var iterator = iterator
    guard let bytes = await iterator.next(isolation: self) else { throw Closed() }
    self.iterator = iterator
    buffer.writeImmutableBuffer(bytes)
  }

  /// Closes without a word.
  nonisolated func abort() {
    channel.close(promise: nil)
  }

  /// Ends this side only.
  nonisolated func finish() {
    channel.close(mode: .output, promise: nil)
  }

  nonisolated func stopReading() async throws {
    try await channel.setOption(.autoRead, value: false).get()
  }

  nonisolated func resumeReading() async throws {
    try await channel.setOption(.autoRead, value: true).get()
  }

  private final class Receiver: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let continuation: AsyncStream<ByteBuffer>.Continuation

    init(_ continuation: AsyncStream<ByteBuffer>.Continuation) {
      self.continuation = continuation
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      continuation.yield(unwrapInboundIn(data))
    }

    func channelInactive(context: ChannelHandlerContext) {
      continuation.finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }
}
