import Fuzzing
import NIOCore
import SocketIOProtocol
import SocketIOSupport
import Testing

@testable import SocketIOServer

@Suite("Fuzzing of WebSocket frames", .timeLimit(.minutes(60)))
struct WebSocketFuzzTests {
  private static let limit = 1000

  @Test(
    "any bytes, cut anywhere: the same events as in one piece, none too large, nothing after a failure",
    arguments: ["websocket-frames", "websocket-deflate"])
  func frames(corpus: String) throws {
    let fuzzer = try Fuzzer(corpus)
    let inflater = corpus == "websocket-deflate" ? Inflater() : nil
    var before = peakMemory()
    fuzzer.run { number, input, generator in
      var whole = WebSocketParser(maxMessageSize: Self.limit, inflater: inflater)
      whole.append(ByteBuffer(bytes: input))
      let expected = Self.events(&whole)
      var pieces = WebSocketParser(maxMessageSize: Self.limit, inflater: inflater)
      var events: [WebSocketParser.Event] = []
      var rest = input[...]
      while !rest.isEmpty, !Self.isOver(events) {
        let piece = rest.prefix(.random(in: 1...32, using: &generator))
        rest = rest.dropFirst(piece.count)
        pieces.append(ByteBuffer(bytes: piece))
        events += Self.events(&pieces)
      }
      #expect(events == expected, "input \(number)")
      if number == 1000 { before = peakMemory() }
    }
    if Fuzzer.isLong { #expect(peakMemory() - before < Fuzzer.maxGrowth) }
  }

  @Test("a client that always leaves half a frame makes the parser keep no more than that")
  func halfFrames() {
    let frame = RawWebSocket.frame(0x81, Array(repeating: UInt8(ascii: "a"), count: 500))
    var parser = WebSocketParser(maxMessageSize: Self.limit)
    parser.append(ByteBuffer(bytes: frame.prefix(250)))
    for _ in 0..<10_000 {
      parser.append(ByteBuffer(bytes: frame.dropFirst(250) + frame.prefix(250)))
      #expect(parser.next() != nil)
      #expect(parser.next() == nil)
    }
    #expect(parser.capacity < 8 * frame.count)
  }

  /// The events until more bytes are needed, or the client has broken the protocol.
  private static func events(_ parser: inout WebSocketParser) -> [WebSocketParser.Event] {
    var events: [WebSocketParser.Event] = []
    while !isOver(events), let event = parser.next() {
      events.append(event)
      guard case .message(let frame) = event else { continue }
      switch frame {
      case .text(let bytes), .binary(let bytes): #expect(bytes.count <= limit)
      }
    }
    return events
  }

  private static func isOver(_ events: [WebSocketParser.Event]) -> Bool {
    if case .failure = events.last { true } else { false }
  }
}
