import Fuzzing
import NIOCore
import SocketIOProtocol
import SocketIOSupport
import Testing

@testable import SocketIOServer

@Suite("Compressing and inflating messages (RFC 7692 section 7.2)", .timeLimit(.minutes(5)))
struct DeflateStreamTests {
  private let deflater: Deflater
  private let inflater: Inflater

  init() throws {
    deflater = try #require(Deflater(level: 6, windowBits: 15))
    inflater = try #require(Inflater())
  }

  private func compressed(_ bytes: [UInt8]) -> [UInt8]? {
    bytes.withUnsafeBytes { deflater.compress($0) }
  }

  private static func noise(_ count: Int) -> [UInt8] {
    var generator = SeededGenerator(state: UInt64(count))
    return (0..<count).map { _ in .random(in: .min ... .max, using: &generator) }
  }

  @Test("a compressed message inflates to the same bytes, at every level and window")
  func roundTrips() throws {
    for level in 1...9 {
      for windowBits in 9...15 {
        let deflater = try #require(Deflater(level: level, windowBits: windowBits))
        for size in [100, 1024, 16 * 1024, 70_000] {
          let message = (0..<size).map { UInt8(truncatingIfNeeded: $0 * $0 >> 7) }
          let payload = try #require(message.withUnsafeBytes { deflater.compress($0) })
          #expect(payload.count < size)
          #expect(try inflater.inflate(payload, limit: size) == message)
        }
      }
    }
  }

  @Test("each message is compressed independently: equal messages give equal bytes")
  func independent() throws {
    let message = Array("Hello, hello, hello, hello!".utf8)
    let first = try #require(compressed(message))
    _ = compressed(Self.noise(100_000))
    #expect(compressed(message) == first)
    // The example of RFC 7692 section 7.2.3.1.
    #expect(try inflater.inflate([0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00], limit: 5) == Array("Hello".utf8))
    // The example of section 7.2.3.2, which refers to the previous message.
    #expect(throws: Inflater.Flaw.invalid) { try inflater.inflate([0xf2, 0x00, 0x11, 0x00, 0x00], limit: 5) }
  }

  @Test("a message that would not become smaller is not compressed", arguments: [0, 1, 5, 1024, 20_000, 1_000_000])
  func incompressible(size: Int) {
    #expect(compressed(Self.noise(size)) == nil)
    #expect(deflater.messages == 1)
  }

  @Test("data consists of complete blocks, some of which may be marked as final; other data is invalid")
  func blocks() throws {
    let stored: [UInt8] = [0, 1, 0, 0xfe, 0xff, 0x61]
    let lastStored: [UInt8] = [1, 1, 0, 0xfe, 0xff, 0x62]
    let lastFixed: [UInt8] = [3, 0]
    for (data, message) in [
      ([0], ""), ([2, 0], ""), (stored + [0], "a"), (lastStored + [0], "b"), (lastStored + stored + [0], "ba"),
      (lastFixed + lastFixed + lastStored + lastStored + [0], "bb"), ([1], ""), (stored + [1], "a"),
    ] {
      #expect(try inflater.inflate(data, limit: 2) == Array(message.utf8))
    }
    for data in [
      [], [7], [0xff], stored, lastStored, lastFixed, Array(stored.dropLast()), stored + Deflater.tail,
      [0] + Deflater.tail,
      [0, 0, 0, 0xff], [0, 1, 0, 0, 0, 0x61], [4, 0xff, 0xff], lastStored + [0xff],
    ] {
      #expect(throws: Inflater.Flaw.invalid) { try inflater.inflate(data, limit: 1000) }
    }
    // Nothing of that remains for the next message.
    #expect(try inflater.inflate(stored + [0], limit: 1) == [0x61])
  }

  @Test("a message cut off at any byte is invalid")
  func cutOff() throws {
    let payload = try #require(compressed(Array(String(repeating: "Grüße, 안녕! ", count: 30).utf8)))
    for count in payload.indices {
      #expect(throws: Inflater.Flaw.invalid) { try inflater.inflate(Array(payload[..<count]), limit: 10_000) }
    }
  }

  @Test("a compression bomb produces at most one byte more than allowed")
  func bombs() throws {
    let large = try #require(compressed(Array(repeating: 0, count: 10_000_000)))
    #expect(large.count < 12_000)
    // A final block of zeros, repeated: after the first, each could be read independently.
    let block: [UInt8] = [1, 0, 0x40, 0xff, 0xbf] + Array(repeating: 0, count: 0x4000)
    for payload in [large, Array(repeatElement(block, count: 20).joined())] {
      for limit in [0, 1, 1000, 16 * 1024, 100_000] {
        let before = inflater.produced
        #expect(throws: Inflater.Flaw.tooLarge) { try inflater.inflate(payload, limit: limit) }
        #expect(inflater.produced - before == limit + 1)
      }
    }
    #expect(try inflater.inflate(large, limit: 10_000_000).count == 10_000_000)
    #expect(throws: Inflater.Flaw.tooLarge) { try inflater.inflate(large, limit: 9_999_999) }
  }

  @Test("any bytes are inflated within the limit or refused, and do not affect the next message")
  func anyBytes() throws {
    let sample = Array(String(repeating: "0123456789", count: 100).utf8)
    let valid = try #require(compressed(sample))
    var generator = SeededGenerator(state: Fuzzer.seed)
    for _ in 0..<20_000 {
      var bytes = Bool.random(using: &generator) ? valid : Self.noise(.random(in: 0...40, using: &generator))
      if !bytes.isEmpty {
        bytes[.random(in: bytes.indices, using: &generator)] = .random(in: .min ... .max, using: &generator)
      }
      let before = inflater.produced
      if let message = try? inflater.inflate(bytes, limit: 1200) { #expect(message.count <= 1200) }
      #expect(inflater.produced - before <= 1201)
    }
    #expect(try inflater.inflate(valid, limit: 1000) == sample)
  }

  @Test("zlib's memory is freed with the streams")
  func memory() throws {
    let before = peakMemory()
    for _ in 0..<16_000 {
      let streams = try #require(DeflateStreams(.init()))
      let payload = Array(repeating: UInt8(7), count: 2000).withUnsafeBytes { streams.deflater.compress($0) }
      #expect(try streams.inflater.inflate(payload ?? [], limit: 2000).count == 2000)
    }
    // If it were kept, it would be more than four gibibytes. Other tests run in parallel.
    #expect(peakMemory() - before < 1 << 31)
  }

  @Test("a packet is compressed once for all recipients, and once more with its type in front")
  func shared() throws {
    let message = Array(repeating: UInt8(ascii: "m"), count: 5000)
    let packet = OutboundPacket(binary: message, deflatedSizes: .init(from: 1024))
    let deflation = try #require(packet.deflation)
    let frames = (0..<100).map { _ in deflation.frame(isTyped: false, by: deflater) { packet } }
    #expect(deflater.messages == 1)
    let places = Set(frames.map { $0?.readableBytesView.withUnsafeBytes { Int(bitPattern: $0.baseAddress) } })
    #expect(places.count == 1 && places.first != nil)
    let typed = (0..<100).compactMap { _ in deflation.frame(isTyped: true, by: deflater) { packet.typed } }
    #expect(deflater.messages == 2 && typed.count == 100)
    // A message that does not become smaller is also tried only once.
    let noise = OutboundPacket(binary: Self.noise(5000), deflatedSizes: .init(from: 1024))
    for _ in 0..<100 {
      #expect(try #require(noise.deflation).frame(isTyped: false, by: deflater) { noise } == nil)
    }
    #expect(deflater.messages == 3)
  }

  @Test("packets below the threshold, and all without one, have no shared form")
  func threshold() {
    let bytes = Array(repeating: UInt8(ascii: "m"), count: 1024)
    #expect(OutboundPacket(text: bytes, deflatedSizes: .init(from: 1024)).deflation != nil)
    #expect(OutboundPacket(text: bytes, deflatedSizes: .init(from: 1025)).deflation == nil)
    #expect(OutboundPacket(text: bytes).deflation == nil)
    #expect(!SocketIOServer.Configuration().deflatedSizes(compress: true).contains(5000))
    let sizes = SocketIOServer.Configuration.changed { $0.perMessageDeflate = .init() }.deflatedSizes(compress: true)
    #expect([1023, 1024, 256 * 1024, 256 * 1024 + 1].map(sizes.contains) == [false, true, true, false])
    #expect(SocketIOServer.PerMessageDeflate().level == 1)
    #expect(
      OutboundPacket(text: bytes, deflatedSizes: .init(from: 1024)).keptSize == 2 * OutboundPacket(text: bytes).keptSize
    )
  }

  @Test("the limit applies to a message's inflated size, and its compressed form may be a little longer")
  func parser() throws {
    func event(_ payload: [UInt8]) -> WebSocketParser.Event? {
      var parser = WebSocketParser(maxMessageSize: 1000, inflater: inflater)
      parser.append(ByteBuffer(bytes: RawWebSocket.frame(0xc2, payload)))
      return parser.next()
    }
    let noise = Self.noise(1000)
    let stored: [UInt8] = [0, 0xe8, 0x03, 0x17, 0xfc] + noise
    #expect(event(stored + [0]) == .message(.binary(noise)))
    #expect(event(stored + [0, 1, 0, 0xfe, 0xff, 0x61, 0]) == .failure(1009))
    #expect(event(Array(repeating: 0, count: 2000)) == .failure(1009))
    #expect(event([6]) == .failure(1007))
  }

  @Test("a frame whose length is the largest integer waits for its end")
  func longestFrame() {
    var parser = WebSocketParser(maxMessageSize: .max)
    parser.append(ByteBuffer(bytes: [0x82, 0xff, 0x7f] + Array(repeating: 0xff, count: 7) + [1, 2, 3, 4, 5]))
    #expect(parser.next() == nil)
  }
}
