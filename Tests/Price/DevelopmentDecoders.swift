import SocketIOProtocol

@testable import MadangDevelopment
@testable import MadangServer

extension Decoder {
  /// The bodies of calls under `/_dev`.
  static let ofDevelopment: [Decoder] = {
    // The operations of the documents are read once.
    readBodies(Array(#"{"expected":[{"operation":"postToChannel"}]}"#.utf8))
    return decoders
  }()

  private static let decoders: [Decoder] = [
    Decoder(
      "dev-bodies", corpus: "dev-bodies",
      Limits(work: 400_000, workPerByte: 200, memory: 2 << 20, memoryPerByte: 200)
    ) { input in
      readBodies(input.bytes)
    },
    Decoder(
      "dev-scripts", corpus: "dev-scripts",
      Limits(work: 60_000, workPerByte: 400, memory: 1 << 20, memoryPerByte: 400)
    ) { input in
      guard let text = String(validating: input.bytes, as: UTF8.self) else { return }
      _ = try? Script.read(text)
    },
    Decoder("dev-patterns", corpus: "dev-patterns", Limits(workPerByte: 60, memoryPerByte: 120)) { input in
      // The first line is the pattern.
      let lines = input.bytes.split(separator: 0x0a, maxSplits: 1).map { String(decoding: $0, as: UTF8.self) }
      guard let first = lines.first else { return }
      _ = TextPattern(first).matches(lines.last ?? "")
    },
  ]

  private static func readBodies(_ bytes: [UInt8]) {
    _ = try? CallBody.fields(JournalFilter.self, of: bytes)
    _ = try? CallBody.decode(FaultRule.self, from: bytes)
    _ = try? CallBody.decode([FaultRule].self, from: bytes)
    if let expectation: Expectation = try? CallBody.fields(of: bytes) {
      _ = try? ExpectationPattern(expectation)
    }
  }
}
