import NIOCore
import NIOPosix

extension World {
  /// Sends bytes over a new connection, and returns what arrives until the server closes it or `isComplete` is true. Does not wait for an
  /// answer if `leavesAtOnce`.
  package func exchange(
    _ bytes: [UInt8], leavesAtOnce: Bool = false, until isComplete: @Sendable (String) -> Bool = { _ in false }
  ) async throws -> String {
    let port = Int(url.split(separator: ":").last ?? "") ?? 0
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(bytes: bytes))
      var answer = ""
      guard !leavesAtOnce else { return answer }
      do {
        for try await buffer in inbound {
          answer += String(buffer: buffer)
          if isComplete(answer) { break }
        }
      } catch is IOError {
        // The server closed the connection because it could not read the bytes.
      }
      return answer
    }
  }
}
