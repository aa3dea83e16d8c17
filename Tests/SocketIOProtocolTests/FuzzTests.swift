import SocketIOProtocol
import Testing

/// A small reproducible generator (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}

@Suite("Decoders under fire")
struct FuzzTests {
  private static let seeds = [
    #"42/a,12["e",{"b":[1,2.5e3,null]},"é\u0001"]"#, #"451-/a,3["e",{"_placeholder":true,"num":0}]"#, "40/x,{\"t\":1}",
    "2probe\u{1e}4x\u{1e}bAQID", "3:4ab6:b4AQ==", "41/a,", #"0{"sid":"s","pingInterval":1,"pingTimeout":1}"#,
  ].map(bytes)

  private static func mutated(_ generator: inout SeededGenerator) -> [UInt8] {
    var input = seeds.randomElement(using: &generator) ?? []
    for _ in 0..<Int.random(in: 1...6, using: &generator) {
      let index = Int.random(in: 0...input.count, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0 where index < input.count: input[index] = .random(in: 0...255, using: &generator)
      case 1 where index < input.count: input.remove(at: index)
      case 2: input.insert(contentsOf: input.prefix(8), at: index)
      default: input.insert(bytes(#"[]{}",:0-/"#).randomElement(using: &generator) ?? 0, at: index)
      }
    }
    return input
  }

  @Test(
    "mutated input neither crashes nor hangs, and what is read can be written and read again", .timeLimit(.minutes(2)))
  func mutations() throws {
    var generator = SeededGenerator(state: 20_261_121)
    for _ in 0..<20_000 {
      let input = Self.mutated(&generator)
      _ = try? EngineOpen(data: input)
      _ = try? EnginePayload.decodeBinary(input)
      for revision in [EngineRevision.v3, .v4] {
        guard let packets = try? EnginePayload.decode(input, revision) else { continue }
        #expect(try EnginePayload.decode(EnginePayload.encode(packets, revision), revision).count == packets.count)
      }
      var reader = SocketPacketReader(maxAttachments: 10)
      guard let packet = try? reader.received(text: Array(input.dropFirst())) else { continue }
      if String(validating: input, as: UTF8.self) != nil {
        var again = SocketPacketReader(maxAttachments: 10)
        let text = packet.encodedText
        #expect(try again.received(text: text)?.encodedText == text)
      }
    }
  }

  @Test("a session survives any sequence of messages", .timeLimit(.minutes(2)))
  func sessions() {
    var generator = SeededGenerator(state: 7)
    for _ in 0..<500 {
      var session = SocketServerSession(.init(conduct: .lenient), revision: .v4)
      for _ in 0..<40 {
        let data = Array(Self.mutated(&generator).dropFirst())
        switch session.received(.random(using: &generator) ? EnginePacket(.message, data) : EnginePacket(binary: data))
        {
        case .connect(let namespace, _): _ = session.accept(namespace: namespace)
        case .close: session = SocketServerSession(.init(conduct: .lenient), revision: .v4)
        default: break
        }
      }
    }
  }
}
