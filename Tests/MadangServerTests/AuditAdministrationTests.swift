import Foundation
import MadangAPI
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Audit log of administrators", .timeLimit(.minutes(5)))
struct AuditAdministrationTests {
  @Test(
    "each action of an administrator has an audit entry with the administrator's name", arguments: TestEngine.available)
  func acts(_ engine: TestEngine) async throws {
    try await BackupScene.place(engine) { settings, _ in
      try await World.run(settings) { world in _ = try await world.signUp("Mina") }
      let (entries, key) = try await Administration.run(settings, logger: BackupScene.logger) { administration in
        let email = "mina@example.com"
        _ = try await administration.giveCoins(5, to: email, note: "thanks")
        _ = try await administration.endSessions(of: email)
        _ = try await administration.resetPassword(of: email, to: "N3w-word!")
        _ = try await administration.disable(email)
        _ = try await administration.enable(email)
        let key = try await administration.createKey(.october2024, label: "an app")
        _ = try await administration.revokeKey(key.number)
        try await administration.replaceTokenKey()
        // A refused action has no entry.
        _ = try? await administration.disable("nobody@example.com")
        _ = try? await administration.revokeKey(key.number)
        return (try await administration.audit(.init()), key.key ?? "")
      }
      let kinds = [
        "signUp", "coinsGiven", "sessionEnded", "passwordChanged", "accountDisabled", "accountEnabled", "keyCreated",
        "keyRevoked", "tokenKeyReplaced",
      ]
      #expect(entries.filter { $0.actor != "server" }.map(\.kind) == kinds)
      #expect(
        entries.filter { kinds[1...].contains($0.kind) }.allSatisfy { $0.actor == "administrator \(NSUserName())" })
      #expect(entries[1...5].allSatisfy { $0.subject == "mina@example.com" && $0.account == 1 && $0.address.isEmpty })
      #expect(entries.first { $0.kind == "coinsGiven" }?.detail.texts == ["coins": "5", "note": "thanks"])
      #expect(entries.first { $0.kind == "keyRevoked" }?.subject == "an app")
      let all = String(decoding: try entries.flatMap { try WireEncoder.encode($0) }, as: UTF8.self)
      #expect(!key.isEmpty && !all.contains(key) && !all.contains("N3w-word!"))
    }
  }

  @Test(
    "backups contain audit entries, and backing up and restoring add entries", arguments: TestEngine.available)
  func backups(_ engine: TestEngine) async throws {
    try await BackupScene.run(engine) { scene in
      @Sendable func entries(_ settings: ServerSettings) async throws -> [AuditSummary] {
        try await Administration.run(settings, logger: BackupScene.logger) { try await $0.audit(.init()) }
      }
      let before = try await entries(scene.settings)
      let backup = try await scene.backUp()
      let after = try await entries(scene.settings)
      #expect(after.map(\.number).dropLast() == before.map(\.number)[...])
      #expect(after.last?.kind == "backupMade" && after.last?.subject == backup.path)
      try await scene.export(scene.settings, to: scene.folder.appending(path: "export"))
      #expect(try await entries(scene.settings).last?.kind == "exportMade")
      for other in TestEngine.available {
        try await scene.elsewhere(other) { target in
          try await scene.restore(to: target)
          let restored = try await entries(target)
          #expect(
            restored.dropLast().map { [$0.kind, $0.at, $0.subject] } == before.map { [$0.kind, $0.at, $0.subject] })
          #expect(restored.last?.kind == "restored" && restored.last?.subject == backup.path)
        }
      }
    }
  }

  @Test(
    "a start adds an entry that lists the settings that changed since the last start", arguments: TestEngine.available)
  func starts(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let madang = world.server.madang
      try await madang.auditStart(["port": "80", "socket.access": "recent"])
      try await madang.auditStart(["port": "80", "socket.access": "recent"])
      try await madang.auditStart(["port": "80", "socket.access": "token", "tokens.key": "***"])
      let entries = try await AuditTests.entries(world, .serverStarted, .settingsChanged)
      #expect(entries.map(\.kind) == ["serverStarted", "serverStarted", "settingsChanged", "serverStarted"])
      #expect(entries[2].detail == ["socket.access": "recent -> token", "tokens.key": "default -> ***"])
      #expect(entries.allSatisfy { $0.actor == "server" })
    }
  }

  @Test("audit entries are listed by time, kind and number, the newest last", arguments: TestEngine.available)
  func questions(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let start = world.clock.now
      for name in ["Mina", "Joon", "Sora"] {
        _ = try await world.signUp(name)
        world.clock.advance(milliseconds: 1000)
      }
      let madang = world.server.madang
      func names(_ change: (inout AuditFilter) -> Void, limit: Int = 10) async throws -> [String] {
        var filter = AuditFilter()
        change(&filter)
        return try await madang.audit(filter, limit: limit).map { String($0.subject.prefix { $0 != "@" }) }
      }
      #expect(try await names({ _ in }) == ["mina", "joon", "sora"])
      #expect(try await names({ _ in }, limit: 2) == ["joon", "sora"])
      #expect(try await names({ $0.since = start + 1000 }) == ["joon", "sora"])
      #expect(try await names({ $0.until = start + 1000 }) == ["mina"])
      #expect(try await names({ $0.kinds = [.signIn, .signUp] }).count == 3)
      #expect(try await names({ $0.kinds = [.signIn] }).isEmpty)
      #expect(try await names({ $0.email = "x@example.com" }).isEmpty)
    }
  }
}
