import Fuzzing
import NIOCore
import Testing

@testable import SocketIOServer

@Suite("The first message of TLS", .timeLimit(.minutes(5)))
struct ClientHelloTests {
  /// What the connections of the corpus begin with, in the order of its files: authority, browser, http, old, split.
  private static func corpus() throws -> [[UInt8]] { try Fuzzer("client-hellos").corpus }

  private static func read(_ bytes: [UInt8], by size: Int) -> ClientHelloReader.Outcome {
    var reader = ClientHelloReader()
    for start in stride(from: 0, to: bytes.count, by: size) {
      let outcome = reader.read(ByteBuffer(bytes: bytes[start..<min(start + size, bytes.count)]))
      if outcome != .incomplete { return outcome }
    }
    return .incomplete
  }

  @Test(
    "name and protocols are read from pieces and records of every size", arguments: [1, 3, 5, 100, 10_000])
  func hello(_ size: Int) throws {
    let corpus = try Self.corpus()
    func hello(_ index: Int) -> ClientHello? {
      if case .hello(let hello) = Self.read(corpus[index], by: size) { hello } else { nil }
    }
    #expect(hello(0)?.serverName == "chat.example.com" && hello(0)?.protocols == ["acme-tls/1"])
    #expect(hello(1)?.serverName == "chat.example.com" && hello(1)?.protocols == ["h2", "http/1.1"])
    #expect(Self.read(corpus[2], by: size) == .other)
    #expect(hello(3) != nil && hello(3)?.serverName == nil && hello(3)?.protocols == [])
    #expect(hello(4) == hello(0))
  }

  @Test("a beginning is incomplete; an empty record, a huge message and endless small records are given up")
  func limits() throws {
    let hello = try Self.corpus()[0]
    for count in [0, 1, 4, 5, 6, hello.count - 1] {
      #expect(Self.read(Array(hello.prefix(count)), by: 10_000) == .incomplete, "\(count)")
    }
    #expect(Self.read([22, 3, 1, 0, 0], by: 10) == .other)
    #expect(Self.read([22, 3, 1, 0xFF, 0xFF], by: 10) == .other)
    // 24 bits of length.
    #expect(Self.read([22, 3, 1, 0, 4, 1, 0xFF, 0, 0], by: 10) == .other)
    var bytes: [UInt8] = [22, 3, 1, 0, 4, 1, 0, 0x3F, 0]
    while bytes.count < 3 * ClientHelloReader.limit { bytes += [22, 3, 1, 0, 1, 0] }
    #expect(Self.read(bytes, by: 1) == .other)
  }

  @Test("no changed message traps, and pieces do not matter")
  func fuzzing() throws {
    try Fuzzer("client-hellos").run { number, input, generator in
      let whole = Self.read(input, by: max(1, input.count))
      #expect(Self.read(input, by: Int.random(in: 1...40, using: &generator)) == whole, "\(number)")
    }
  }
}
