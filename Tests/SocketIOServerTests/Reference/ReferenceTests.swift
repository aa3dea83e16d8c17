import Foundation
import Testing

@Suite("The reference server's answers", .timeLimit(.minutes(5)))
struct ReferenceTests {
  @Test("every probe is answered as by the reference, or in a way that is listed by name")
  func replay() async throws {
    try await EchoProcess.with(["--mode", "rig"]) { process in
      let replay = Replay(ReferenceAnswers(), Differences.table, process)
      try await replay.httpHandshake()
      try await replay.pollingSession()
      try await replay.webSocketHandshake()
      try await replay.enginePackets()
      try await replay.packetsBeforeConnect()
      try await replay.packetsAfterConnect()
      try await replay.upgrades()
      #expect(replay.isComplete)
      #expect(replay.met == Set(Differences.table.keys))
    }
  }

  @Test("the documentation states the same differences")
  func documentation() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
    let page = try String(contentsOf: root.appending(path: "docs/reference/socketio-differences.md"), encoding: .utf8)
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
    let probes = rows.map { $0.split(separator: "|")[0].trimmingCharacters(in: .whitespaces) }
    #expect(probes.sorted() == Differences.table.keys.sorted())
  }
}
