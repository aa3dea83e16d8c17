import HTTPTypes
import Hummingbird
import NIOCore

extension ResponseBody {
  /// Reads an answer to its end, as its client would.
  /// - Returns: Its first bytes, this many at most.
  func read(keeping limit: Int) async throws -> [UInt8] {
    let start = Start(limit)
    try await write(KeepingWriter(start: start))
    return start.bytes
  }
}

private final class Start {
  private let limit: Int
  private(set) var bytes: [UInt8] = []

  init(_ limit: Int) { self.limit = limit }

  func add(_ buffer: ByteBuffer) { bytes += buffer.readableBytesView.prefix(max(0, limit - bytes.count)) }
}

private struct KeepingWriter: ResponseBodyWriter {
  let start: Start

  mutating func write(_ buffer: ByteBuffer) async throws { start.add(buffer) }
  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
