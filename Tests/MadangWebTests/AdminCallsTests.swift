import Foundation
import MadangCore
import MadangOperations
import MadangServer
import NIOHTTP1
import Support
import Testing

@Suite("Calls of the administrator's console about the server", .timeLimit(.minutes(5)))
struct AdminCallsTests {
  /// Of a server with the console.
  private static var settings: ServerSettings { World.settings(\.web.admin.isOn, true) }

  @Test(
    "the overview has the server's figures, what waits, and graphs of an hour and a day",
    arguments: TestEngine.available)
  func overview(_ engine: TestEngine) async throws {
    try await Browser.run(engine, settings: Self.settings) { (world) async throws in
      let mina = try await world.signUp("Mina")
      _ = try await mina.workspace()
      let hana = try await AdminBrowser.administrator(world)
      let overview = try await hana.call(.GET, "overview").json
      #expect(
        overview.keys == [
          "now", "version", "startedAt", "connected", "chatsToday", "post", "disk", "pushes", "mails", "database",
          "backup",
          "certificate", "readOnly", "pending", "findings", "totals", "series",
        ])
      #expect(overview["totals"]?["accounts"] == 1 && overview["totals"]?["workspaces"] == 1)
      #expect(overview["post"] == .null && overview["certificate"] == .null && overview["pending"] == 0)
      #expect(overview["readOnly"] == ["isOn": false, "since": .null, "reason": .null])
      #expect(overview["backup"] == ["last": .null, "next": .null, "running": false])
      #expect(overview["pushes"] == ["waiting": 0, "failing": false] && overview["findings"]?["first"] == [])
      #expect(overview["findings"]?["areKnown"] == false)
      #expect((overview["disk"]?["size"]?.int ?? 0) > 0)
      for (name, count, step) in [("hour", 60, 60), ("day", 96, 900)] {
        let graph = overview["series"]?[name]
        #expect(graph?["step"]?.int == step)
        for figure in ["people", "chats", "post", "pushes", "mails", "database"] {
          #expect(graph?[figure]?.list?.count == count, "\(figure)")
        }
      }
    }
  }

  @Test("totals are counted once a minute, and chats since midnight", arguments: TestEngine.available)
  func totals(_ engine: TestEngine) async throws {
    try await Browser.run(engine, settings: Self.settings) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let w = try await mina.workspace()
      let channel = try await mina.channel("ios", in: w)
      _ = try await mina.say("early", in: channel)
      // To noon, because the clock moves on below.
      let later = Date(timeIntervalSince1970: Double(world.clock.now) / 1000 + 3 * 86_400)
      let noon = Calendar.current.startOfDay(for: later).addingTimeInterval(43_200)
      world.clock.set(Int64(noon.timeIntervalSince1970) * 1000)
      let sora = try await world.signUp("Sora")
      let room = try await sora.channel("swift", in: try await sora.workspace("Second"))
      for text in ["one", "two"] { _ = try await sora.say(text, in: room) }
      let hana = try await AdminBrowser.administrator(world)
      let first = try await hana.call(.GET, "overview").json
      #expect(first["chatsToday"] == 2 && first["totals"]?["chats"] == 3 && first["totals"]?["accounts"] == 2)
      _ = try await world.signUp("Joon")
      #expect(try await hana.call(.GET, "overview").json["totals"]?["accounts"] == 2)
      world.clock.advance(milliseconds: 60_000)
      #expect(try await hana.call(.GET, "overview").json["totals"]?["accounts"] == 3)
    }
  }

  @Test(
    "settings are those of the running server, without secrets; the doctor's last result is kept",
    arguments: TestEngine.available)
  func health(_ engine: TestEngine) async throws {
    var settings = Self.settings
    let written = ["tokens.key": WrittenSetting(String(repeating: "secret", count: 9), from: "the environment")]
    settings.listed = SettingsReader.read({ ServerSettings() }, from: written).settings
    try await Browser.run(engine, settings: settings) { (world) async throws in
      let hana = try await AdminBrowser.administrator(world)
      let listed = try #require(try await hana.call(.GET, "settings").json["settings"]?.list)
      #expect(listed.count > 100 && listed.allSatisfy { $0.keys == ["key", "value", "source", "isLive", "help"] })
      let key = try #require(listed.first { $0["key"] == "tokens.key" })
      #expect(key["value"] == "***" && key["source"] == "the environment")
      #expect(listed.first { $0["key"] == "web.admin.idle" }?["source"] == "default")
      #expect(try await hana.call(.GET, "doctor").json == ["at": .null, "findings": []])
      let report = try await hana.call(.POST, "doctor", [:]).json
      #expect(report["at"]?.string != nil)
      for finding in report["findings"]?.list ?? [] {
        #expect(finding.keys == ["check", "severity", "message", "cure"])
      }
      #expect(try await hana.call(.GET, "doctor").json == report)
      let findings = try await hana.call(.GET, "overview").json["findings"]
      let counted = (findings?["errors"]?.int ?? 0) + (findings?["warnings"]?.int ?? 0)
      #expect(counted == report["findings"]?.list?.count)
    }
  }

  @Test("read-only mode begins and ends, and the audit log has who did it", arguments: TestEngine.available)
  func readOnly(_ engine: TestEngine) async throws {
    try await Browser.run(engine, settings: Self.settings) { (world) async throws in
      let hana = try await AdminBrowser.administrator(world)
      let begun = try await hana.call(.POST, "read-only", ["isOn": true, "reason": "moving"]).json
      #expect(begun["isOn"] == true && begun["reason"] == "moving")
      #expect(try await hana.call(.GET, "overview").json["readOnly"]?["isOn"] == true)
      #expect(try await hana.call(.POST, "read-only", ["isOn": false]).json["isOn"] == false)
      for body: JSON in [["isOn": true, "why": "typo"], ["reason": "x"], ["isOn": "yes"], [], 7] {
        #expect(try await hana.outcome(.POST, "read-only", body) == "400 refused", "\(body)")
      }
      let long = JSON.text(String(repeating: "x", count: 70_000))
      #expect(try await hana.outcome(.POST, "read-only", ["isOn": false, "reason": long]) == "400 refused")
      let entry = try #require(
        try await world.server.madang.audit(AuditFilter(), limit: 10).first { $0.kind == "readOnlyBegan" })
      #expect(entry.actor == "administrator #1 hana@example.com" && entry.origin.address == "127.0.0.1")
    }
  }

  @Test("a test mail is refused while no mails are sent")
  func testMail() async throws {
    try await Browser.run(.sqlite, settings: Self.settings) { (world) async throws in
      let hana = try await AdminBrowser.administrator(world)
      #expect(try await hana.outcome(.POST, "mails/test", ["to": "you@example.com"]) == "409 noMail")
    }
  }

  @Test(
    "the server makes a backup in the directory of the settings, in the administrator's name",
    arguments: TestEngine.available)
  func backup(_ engine: TestEngine) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-backups-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var settings = Self.settings
    settings.web.admin.backups.directory = folder.path
    settings.web.admin.backups.keep = 1
    settings.web.admin.backups.at = TimeOfDay("03:00")
    try await Browser.run(engine, settings: settings) { (world) async throws in
      let hana = try await AdminBrowser.administrator(world)
      let before = try await hana.call(.GET, "backups").json
      #expect(before["directory"]?.string == folder.path && before["keep"] == 1 && before["backups"] == [])
      #expect(before["next"]?.string != nil && before["failed"] == .null)
      for _ in 0..<2 {
        #expect(try await hana.call(.POST, "backups", [:]).json == [:])
        #expect(try await World.eventually { try await hana.call(.GET, "backups").json["running"] == .null })
      }
      let after = try await hana.call(.GET, "backups").json
      #expect(after["failed"] == .null && after["backups"]?.list?.count == 1, "only the newest is kept")
      #expect(after["backups"]?.list?.first?["losses"] == [])
      #expect(try await hana.call(.GET, "overview").json["backup"]?["last"]?.string != nil)
      let entry = try #require(
        try await world.server.madang.audit(AuditFilter(), limit: 10).first { $0.kind == "backupMade" })
      #expect(entry.actor == "administrator #1 hana@example.com")
    }
  }

  @Test("a planned backup is made at its time, and without a directory none is made")
  func plan() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-backups-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var settings = Self.settings
    settings.web.admin.backups.directory = folder.path
    settings.web.admin.backups.at = TimeOfDay("03:00")
    try await Browser.run(.sqlite, settings: settings, clock: Clock()) { (world) async throws in
      let made = try await World.eventually {
        // Also if the plan was not read yet when the clock was moved.
        world.clock.advance(milliseconds: 86_400_000)
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).contains {
          $0.hasPrefix("20")
        }
      }
      #expect(made)
      let actor = try await World.eventually {
        try await world.server.madang.audit(AuditFilter(), limit: 10).first { $0.kind == "backupMade" }?.actor
          == "server"
      }
      #expect(actor)
    }
    try await Browser.run(.sqlite, settings: Self.settings) { (world) async throws in
      let hana = try await AdminBrowser.administrator(world)
      #expect(try await hana.outcome(.POST, "backups", [:]) == "400 refused")
      let state = try await hana.call(.GET, "backups").json
      #expect(state["directory"] == .null && state["keep"] == .null && state["next"] == .null && state["backups"] == [])
    }
  }

  @Test("settings of backups that cannot work are refused at the start")
  func problems() {
    var settings = Self.settings
    settings.web.admin.backups.at = TimeOfDay("03:00")
    #expect(settings.problems().contains { $0.hasPrefix("web.admin.backups.at:") })
    settings.web.admin.backups.directory = settings.dataDirectory.appending(path: "backups").path
    #expect(settings.problems().contains { $0.hasPrefix("web.admin.backups:") })
    settings.web.admin.backups.directory = "/var/backups/madang"
    #expect(!settings.problems().contains { $0.hasPrefix("web.admin") })
  }

  @Test(
    "an account's data is exported as an archive that its administrator's session fetches once",
    arguments: TestEngine.available)
  func export(_ engine: TestEngine) async throws {
    try await Browser.run(engine, settings: Self.settings) { (world) async throws in
      _ = try await world.signUp("Mina")
      let hana = try await AdminBrowser.administrator(world)
      let sora = try await AdminBrowser.administrator(world, "sora@example.com")
      #expect(try await hana.outcome(.POST, "accounts/999/export", [:]) == "404 notFound")
      let export = try await hana.call(.POST, "accounts/1/export", [:]).json
      #expect(export["lost"] == [] && export["chats"] == 0)
      let url = try #require(export["url"]?.string)
      let path = String(url.dropFirst("/admin/api/".count))
      #expect(try await sora.outcome(.GET, path) == "404 notFound")
      let archive = try await hana.call(.GET, path)
      #expect(archive.status == 200 && archive.body.starts(with: Array("PK".utf8)))
      #expect(archive.headers["Content-Disposition"].first?.hasPrefix("attachment") ?? false)
      #expect(archive.headers["Cache-Control"] == ["no-store"])
      #expect(try await hana.outcome(.GET, path) == "404 notFound")
      let left = try FileManager.default.contentsOfDirectory(atPath: world.data.appending(path: "exports").path)
      #expect(left.isEmpty)
    }
  }
}
