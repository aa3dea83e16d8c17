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

@Suite("The database's file", .timeLimit(.minutes(5)))
struct DatabaseFileTests {
  @Test("if the database's file is replaced, the server refuses posts, is not ready and says so")
  func exchanged() async throws {
    let log = LogRecorder()
    var settings = World.settings(\.publicURL, "https://chat.example.com")
    settings.alarms.recipients = ["admin@example.com"]
    settings.database.fileInterval = .milliseconds(20)
    try await World.run(.sqlite, settings: settings, clock: Clock(), logger: log.logger) { world in
      let mina = try await world.signUp("Mina")
      let workspace = try await mina.workspace()
      let channel = try await mina.channel("ios", in: workspace)
      _ = try await mina.post("\(channel)/chats", ["content": "before"])
      let (file, moved) = (world.data.appending(path: "madang.sqlite"), world.data.appending(path: "moved"))
      try FileManager.default.moveItem(at: file, to: moved)
      try FileManager.default.copyItem(at: moved, to: file)
      #expect(try await mina.call(.POST, "\(channel)/chats", .json(["content": "lost"])).code == "E99")
      #expect(
        try await World.eventually {
          let ready = try await world.call(.GET, "/readyz", key: nil)
          return ready.status == 503 && String(decoding: ready.body, as: UTF8.self).contains("was replaced or removed")
        })
      #expect(try await World.eventually { log.lines.contains { $0.contains("writes are refused") } })
      #expect(
        try await World.eventually {
          let mails = try await world.call(.GET, "/_dev/mails?to=admin@example.com", key: nil).json.list ?? []
          return mails.contains { $0["subject"]?.string == "The database file was replaced" }
        })
      // Reading goes on.
      #expect(try await mina.call(.GET, "\(channel)/chats").json.list?.count == 1)
      try FileManager.default.removeItem(at: file)
      try FileManager.default.moveItem(at: moved, to: file)
      _ = try await mina.post("\(channel)/chats", ["content": "after"])
      #expect(try await World.eventually { log.lines.contains { $0.contains("writes are accepted again") } })
    }
  }

  @Test("a damaged database is refused at the start with a cure, unchanged")
  func damaged() async throws {
    try await BackupScene.place(.sqlite) { settings, _ in
      var settings = settings
      try await World.run(settings) { world in _ = try await world.signUp("Mina") }
      settings.isDevelopment = false
      let file = settings.databaseFile
      var bytes = try Data(contentsOf: file)
      for page in stride(from: 2 * 4096, to: bytes.count, by: 4096) {
        bytes.replaceSubrange(page..<(page + 100), with: Data(repeating: 0, count: 100))
      }
      try bytes.write(to: file)
      let error = await #expect(throws: SetupError.self) {
        try await buildServer(settings, isAlone: true, logger: BackupScene.logger)
      }
      #expect(error?.description.contains("is damaged, and nothing was changed") == true)
      #expect(error?.description.contains("madang admin restore") == true)
      #expect(try Data(contentsOf: file) == bytes)
    }
  }

  @Test("a data directory writable by every user is refused with a cure")
  func openDirectory() async throws {
    try await BackupScene.place(.sqlite) { settings, _ in
      try FileManager.default.createDirectory(at: settings.dataDirectory, withIntermediateDirectories: true)
      try FileManager.default.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: settings.dataDirectory.path)
      let error = await #expect(throws: SetupError.self) {
        try await buildServer(settings, isAlone: true, logger: BackupScene.logger)
      }
      #expect(error?.description.contains("chmod o= '\(settings.dataDirectory.path)'") == true)
      #expect(await DoctorTests.checks(settings).contains(.dataPrivacy))
      try FileManager.default.setAttributes([.posixPermissions: 0o770], ofItemAtPath: settings.dataDirectory.path)
      let server = try await buildServer(settings, isAlone: true, logger: BackupScene.logger)
      await server.close()
    }
  }
}
