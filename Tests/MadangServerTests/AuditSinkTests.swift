import Foundation
import MadangAPI
import NIOHTTP1
import SocketIOSupport
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Audit log: file", .timeLimit(.minutes(5)))
struct AuditSinkTests {
  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = URL(filePath: "/tmp/audit-\(UInt32.random(in: 0...UInt32.max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  private func lines(_ file: URL) -> [String] {
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  @Test(
    "audit entries are lines of JSON in a file, which is created again after a rename", arguments: TestEngine.available)
  func file(_ engine: TestEngine) async throws {
    try await withFolder { folder in
      let file = folder.appending(path: "audit.jsonl")
      let rotated = folder.appending(path: "audit.jsonl.1")
      try await World.run(engine, settings: World.settings(\.auditSinks.file, file.path)) { world in
        let mina = try await world.signUp("Mina")
        #expect(try await World.eventually { lines(file).count == 1 })
        try FileManager.default.moveItem(at: file, to: rotated)
        _ = try await mina.call(.GET, "users/logout")
        #expect(try await World.eventually { lines(file).count == 1 })
        #expect(lines(rotated).count == 1)
        let line = try JSON(Array(try #require(lines(file).first).utf8))
        #expect(line["kind"] == "signOut" && line["subject"] == .text(mina.email) && line["account"] == 1)
        #expect(line["address"] == "127.0.0.1" && line["detail"]?["session"] == "1")
      }
      let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
  }

  @Test("an audit file that cannot be written fails no call: the log says so, and the database has the entries")
  func unwritable() async throws {
    try await withFolder { folder in
      let log = LogRecorder()
      // A directory.
      try await World.run(.sqlite, settings: World.settings(\.auditSinks.file, folder.path), logger: log.logger) {
        world in
        _ = try await world.signUp("Mina")
        _ = try await world.signUp("Joon")
        #expect(try await World.eventually { log.lines.contains { $0.contains("audit.file") } })
        #expect(try await AuditTests.entries(world).count == 2)
      }
      // Once a minute, and once at the end with all of them.
      #expect((1...2).contains(log.lines.filter { $0.contains("audit.file") }.count))
    }
  }
}
