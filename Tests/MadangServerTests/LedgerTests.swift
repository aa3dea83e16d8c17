import Foundation
import MadangAPI
import MadangServer
import NIOHTTP1
import Support
import Testing

@testable import MadangOperations
@testable import MadangServer

@Suite("Amounts held by callers", .timeLimit(.minutes(5)))
struct LedgerTests {
  @Test("one address and all together stay below their limits, and returned amounts are free again")
  func limits() {
    let ledger = Ledger([.memory: .init(perAddress: 10, total: 15)])
    let (a, b) = (KeyHash("a"), KeyHash("b"))
    #expect(ledger.take(.memory, 10, for: a))
    #expect(!ledger.take(.memory, 1, for: a))
    #expect(!ledger.take(.memory, 6, for: b))
    #expect(ledger.take(.memory, 5, for: b))
    #expect(ledger.totals == [.memory: 15])
    ledger.giveBack(.memory, 10, for: a)
    #expect(ledger.take(.memory, 10, for: b) == false)
    #expect(ledger.take(.memory, 5, for: b))
    ledger.giveBack(.memory, 10, for: b)
    #expect(ledger.totals == [.memory: 0])
    // Those with little are not kept out by a few with much.
    let full = Ledger([.memory: .init(perAddress: 640, total: 1280)])
    #expect(full.take(.memory, 640, for: a) && full.take(.memory, 640, for: b))
    #expect(!full.take(.memory, 11, for: KeyHash("c")))
    #expect(full.take(.memory, 10, for: KeyHash("c")))
    // Without a limit everything may be had.
    #expect(ledger.take(.disk, .max, for: a))
  }

  @Test("files of callers without a token are dropped, and the texts of a body share one limit")
  func strangers() async throws {
    try await World.run(.sqlite, settings: World.settings(\.body.text, 5000)) { (world) async throws in
      let file = World.Part.file("image", Sample.png)
      let fields = ["email": "mina@example.com", "password": World.password, "nickname": "Mina"]
      let parts = fields.map { World.Part.text($0, $1) }
      #expect(try await world.call(.POST, "users/join", .multipart([file] + parts)).status == 200)
      #expect(try await world.files(in: "uploads").isEmpty)
      let long = (0..<6).map { World.Part.text("x\($0)", String(repeating: "x", count: 1000)) }
      #expect(try await world.call(.POST, "users/join", .multipart(long + parts)).code == "E11")
    }
  }

  @Test("the message that a socket is receiving counts too")
  func messages() async throws {
    try await World.run(.sqlite, settings: World.settings(\.limits.memory, .init(perAddress: 1 << 20, total: 1 << 30)))
    {
      (world) async throws in
      let polling = "/socket.io/?EIO=4&transport=polling"
      let large = World.Body.raw("40" + String(repeating: " ", count: 100_000), type: "text/plain")
      // One has room at a time; it is given back with the answer.
      for _ in 0..<3 {
        let opened = try await world.call(.GET, polling)
        let sid = try #require(try JSON(Data(opened.body.dropFirst()))["sid"]?.string)
        #expect(try await world.call(.POST, "\(polling)&sid=\(sid)", large).status == 200)
      }
      let page = String(decoding: try await world.call(.GET, "/metrics", key: nil).body, as: UTF8.self)
      #expect(page.contains(#"madang_held{cost="memory"} 0"#))
    }
  }

  @Test("bytes of bodies are counted by address until the answer", arguments: [false, true])
  func bodies(_ isFile: Bool) async throws {
    var settings = World.settings
    settings.limits.memory = .init(perAddress: 3000, total: 100_000)
    settings.limits.uploads = .init(perAddress: 3000, total: 100_000)
    try await World.run(.sqlite, settings: settings) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let channel = try await mina.channel("ios", in: try await mina.workspace())
      func post(_ size: Int) async throws -> String? {
        let part =
          isFile
          ? World.Part.file("files", Sample.png + Array(repeating: 0, count: size))
          : World.Part.text("content", String(repeating: "x", count: size))
        return try await mina.call(.POST, "\(channel)/chats", .multipart([part])).code
      }
      for _ in 0..<5 { #expect(try await post(2000) == nil) }
      #expect(try await post(4000) == "E98")
      #expect(try await post(2000) == nil)
      let page = String(decoding: try await world.call(.GET, "/metrics", key: nil).body, as: UTF8.self)
      #expect(page.contains(#"madang_held{cost="memory"} 0"#) && page.contains(#"madang_held{cost="disk"} 0"#))
    }
  }
}
