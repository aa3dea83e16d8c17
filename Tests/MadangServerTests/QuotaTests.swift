import Dispatch
import Logging
import MadangAPI
import NIOHTTP1
import SocketIOSupport
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Quotas", .timeLimit(.minutes(5)))
struct QuotaTests {
  /// Codes of calls made at once, with how often each came; "200" for success.
  private static func codes(
    _ count: Int, _ call: @escaping @Sendable (Int) async throws -> String?
  ) async throws -> [String: Int] {
    try await withThrowingTaskGroup(of: String?.self) { group in
      for index in 0..<count { group.addTask { try await call(index) } }
      return try await group.reduce(into: [:]) { $0[$1 ?? "200", default: 0] += 1 }
    }
  }

  @Test(
    "an account cannot own more workspaces than its quota, by creation or hand-over",
    arguments: TestEngine.available)
  func workspaces(_ engine: TestEngine) async throws {
    var settings = World.settings(\.quotas.workspaces, 3)
    settings.coins.signUp = 1000
    try await World.run(engine, settings: settings) { (world) async throws in
      let yard = try await world.courtyard()
      let a = yard.a
      let codes = try await Self.codes(10) { try await a.code(.POST, "workspaces", .json(["name": .text("W\($0)")])) }
      #expect(codes == ["200": 2, "E11": 8])
      // Who is refused has paid nothing.
      #expect(
        try await a.get("users/me")["sesacCoin"]
          == .number(Double(1000 - 3 * world.server.madang.settings.coins.workspace)))
      let b = yard.b
      for index in 0..<3 { _ = try await b.workspace("B\(index)") }
      #expect(try await a.code(.PUT, "\(yard.w)/transfer/ownership", .json(["owner_id": .text(b.id)])) == "E11")
      #expect(try await a.get(yard.w)["owner_id"] == .text(a.id))
      // To oneself it changes nothing, and an administrator may.
      #expect(try await a.code(.PUT, "\(yard.w)/transfer/ownership", .json(["owner_id": .text(a.id)])) == nil)
      _ = try await world.server.madang.handOverWorkspace(
        WorkspaceName("Weekend Builders"), toEmail: b.email, by: .hana)
      _ = try await a.workspace("There is room again")
    }
  }

  @Test("the largest quotas let everything be made", arguments: TestEngine.available)
  func largest(_ engine: TestEngine) async throws {
    var settings = World.settings(\.quotas.channels, .max)
    (settings.quotas.members, settings.quotas.workspaces) = (.max, .max)
    (settings.quotas.files, settings.files.perAccount) = (.max, .max)
    try await World.run(engine, settings: settings) { (world) async throws in
      let yard = try await world.courtyard()
      let channel = try await yard.a.channel("ios", in: yard.w)
      let file = World.Body.multipart([.file("files", Sample.png)])
      #expect(try await yard.a.code(.POST, "\(channel)/chats", file) == nil)
      let quota = WorkspaceQuota(channels: .max, members: .max, fileBytes: .max)
      _ = try await world.server.madang.setQuota(quota, of: WorkspaceName("Weekend Builders"), by: .hana)
      _ = try await yard.a.channel("android", in: yard.w)
      #expect(try await yard.a.code(.POST, "\(channel)/chats", file) == nil)
    }
  }

  @Test(
    "a workspace cannot exceed its quotas of channels and members, and its own quota overrides the setting",
    arguments: TestEngine.available)
  func places(_ engine: TestEngine) async throws {
    var settings = World.settings(\.quotas.channels, 4)
    settings.quotas.members = 3
    try await World.run(engine, settings: settings) { (world) async throws in
      let madang = world.server.madang
      let yard = try await world.courtyard()
      let (a, b, w) = (yard.a, yard.b, yard.w)
      let channels = try await Self.codes(10) { index in
        try await (index % 2 == 0 ? a : b).code(.POST, "\(w)/channels", .json(["name": .text("c\(index)")]))
      }
      // The default channel is one of them.
      #expect(channels == ["200": 3, "E11": 7])
      var others = [yard.c]
      for name in ["One", "Two", "Three"] { others.append(try await world.signUp(name)) }
      let emails = others.map(\.email)
      let members = try await Self.codes(4) { index in
        try await a.code(.POST, "\(w)/members", .json(["email": .text(emails[index])]))
      }
      #expect(members == ["200": 1, "E11": 3])
      // Inviting a member again is refused as before.
      #expect(try await a.code(.POST, "\(w)/members", .json(["email": .text(b.email)])) == "E12")

      let name = WorkspaceName("Weekend Builders")
      let usage = try await madang.setQuota(
        WorkspaceQuota(channels: 5, members: 0, fileBytes: nil), of: name, by: .hana)
      #expect(usage.channels == 4 && usage.members == 3 && usage.fileBytes == 0)
      #expect(try await a.code(.POST, "\(w)/channels", .json(["name": "fifth"])) == nil)
      #expect(try await a.code(.POST, "\(w)/channels", .json(["name": "sixth"])) == "E11")
      for email in emails { _ = try await a.code(.POST, "\(w)/members", .json(["email": .text(email)])) }
      #expect(try await a.get("\(w)/members").list?.count == 6)
      // Deletion makes room.
      let last = try #require(try await a.get("\(w)/channels").list?.first?["channel_id"]?.string)
      _ = try await a.success(.DELETE, "\(w)/channels/\(last)")
      #expect(try await a.code(.POST, "\(w)/channels", .json(["name": "sixth"])) == nil)
      _ = try await madang.setQuota(WorkspaceQuota(channels: nil, members: nil, fileBytes: nil), of: name, by: .hana)
      #expect(try await a.code(.POST, "\(w)/channels", .json(["name": "seventh"])) == "E11")
      let entries = try await AuditTests.entries(world, .quotaChanged)
      #expect(entries.map { $0.detail["channels"] } == ["5", "as in the settings"])
      await #expect(throws: Failure.self) {
        _ = try await madang.setQuota(WorkspaceQuota(channels: -1, members: nil, fileBytes: nil), of: name, by: .hana)
      }
    }
  }

  @Test(
    "files of a workspace cannot exceed its quota; deleting makes room, and text is free",
    arguments: TestEngine.available)
  func files(_ engine: TestEngine) async throws {
    let size = Sample.png.count
    try await World.run(engine, settings: World.settings(\.quotas.files, 4 * size)) { (world) async throws in
      let madang = world.server.madang
      let yard = try await world.courtyard()
      var channels: [String] = []
      for index in 0..<4 { channels.append(try await yard.a.channel("c\(index)", in: yard.w)) }
      for channel in channels { _ = try await yard.b.get("\(channel)/chats") }
      let file = World.Body.multipart([.file("files", Sample.png)])
      let codes = try await Self.codes(12) { [channels] index in
        try await (index % 2 == 0 ? yard.a : yard.b).code(.POST, "\(channels[index % 4])/chats", file)
      }
      #expect(codes == ["200": 4, "E11": 8])
      #expect(try await world.files(in: "channelChats").count == 4)
      _ = try await yard.a.say("text is free", in: channels[0])
      #expect(try await Self.counted(world) == [4 * size])
      #expect(try await madang.usage(of: WorkspaceName("Weekend Builders")).fileBytes == 4 * size)

      // A chat whose files go, and a channel that is deleted and cleared up.
      var withFiles: [String] = []
      for channel in channels {
        let chats = try await yard.a.get("\(channel)/chats").list ?? []
        withFiles += chats.filter { $0["files"] != [] }.compactMap { $0["chat_id"]?.string }
      }
      #expect(withFiles.count == 4)
      try await madang.removeChat(.uuid(try #require(withFiles.first)), by: .hana)
      #expect(try await Self.counted(world) == [3 * size])
      #expect(try await yard.a.code(.POST, "\(channels[1])/chats", file) == nil)
      #expect(try await yard.a.code(.POST, "\(channels[1])/chats", file) == "E11")
      let gone = try await yard.a.get("\(channels[1])/chats").list?.filter { $0["files"] != [] }.count ?? 0
      _ = try await yard.a.success(.DELETE, channels[1])
      try await madang.clearDeleted(madang.deletedPlaces())
      #expect(try await Self.counted(world) == [(4 - gone) * size])
      // Another workspace has room of its own.
      let other = try await yard.a.channel("ios", in: try await yard.a.workspace("Elsewhere"))
      #expect(try await yard.a.code(.POST, "\(other)/chats", file) == nil)
    }
  }

  @Test(
    "pictures count for the account's quota until they are removed, replaced ones too",
    arguments: TestEngine.available)
  func pictures(_ engine: TestEngine) async throws {
    let size = Sample.png.count
    var settings = World.settings(\.files.perAccount, 4 * size)
    settings.coins.signUp = 1000
    try await World.run(engine, settings: settings) { (world) async throws in
      let (madang, a) = (world.server.madang, try await world.signUp("Mina"))
      let picture = World.Part.file("image", Sample.png)
      let own = World.Body.multipart([picture])
      _ = try await a.success(.PUT, "users/me/image", own)
      let made = try await a.success(.POST, "workspaces", .multipart([.text("name", "Garden"), picture]))
      let workspace = "workspaces/\(try #require(made["workspace_id"]?.string))"
      let channel = try await a.success(.POST, "\(workspace)/channels", .multipart([.text("name", "ios"), picture]))
      #expect(try await Self.counted(world) == [3 * size])
      // A replaced one is kept for a day, in which it takes room.
      _ = try await a.success(.PUT, "users/me/image", own)
      #expect(try await Self.counted(world) == [4 * size])
      let refused = [
        ("users/me/image", own), (workspace, own),
        ("\(workspace)/channels/\(channel["channel_id"]?.string ?? "")", own),
      ]
      for (path, body) in refused { #expect(try await a.code(.PUT, path, body) == "E11", "\(path)") }
      #expect(try await a.code(.POST, "workspaces", .multipart([.text("name", "Other"), picture])) == "E11")
      let chats = "\(workspace)/channels/\(channel["channel_id"]?.string ?? "")/chats"
      #expect(try await a.code(.POST, chats, .multipart([.file("files", Sample.png)])) == "E11")
      #expect(try await world.files(in: "profiles").count == 2)
      #expect(try await Self.counted(world) == [4 * size])
      // Then its bytes are given back.
      world.clock.advance(milliseconds: madang.settings.files.replacedPictureLifetime + 1)
      let again = try await world.signIn(a, through: .october2024)
      try await madang.removeRetiredFiles()
      #expect(try await Self.counted(world) == [3 * size])
      #expect(try await again.code(.PUT, "users/me/image", own) == nil)
      try await madang.forgetWrongFileUsage()
      #expect(try await Self.counted(world) == [4 * size])
    }
  }

  private static func counted(_ world: World) async throws -> [Int] {
    try await world.server.madang.database.read {
      try $0.all("SELECT bytes FROM file_usage ORDER BY scope, owner_id") { try $0.get("bytes") }
    }
  }

  @Test(
    "a new quota counts existing files, and a wrong sum is computed again",
    arguments: TestEngine.available)
  func sums(_ engine: TestEngine) async throws {
    let size = Sample.png.count
    try await World.run(engine) { (world) async throws in
      let madang = world.server.madang
      let yard = try await world.courtyard()
      let channel = try await yard.a.channel("ios", in: yard.w)
      let file = World.Body.multipart([.file("files", Sample.png)])
      for _ in 0..<2 { _ = try await yard.a.success(.POST, "\(channel)/chats", file) }
      // Without a limit there is no counting and no waiting.
      #expect(try await Self.counted(world) == [])
      let name = WorkspaceName("Weekend Builders")
      func limit(_ files: Int?) async throws {
        let quota = WorkspaceQuota(channels: nil, members: nil, fileBytes: files.map { $0 * size })
        _ = try await madang.setQuota(quota, of: name, by: .hana)
      }
      try await limit(3)
      #expect(try await yard.a.code(.POST, "\(channel)/chats", file) == nil)
      #expect(try await yard.a.code(.POST, "\(channel)/chats", file) == "E11")
      #expect(try await Self.counted(world) == [3 * size])
      // Without a limit for a while.
      try await limit(nil)
      _ = try await yard.a.success(.POST, "\(channel)/chats", file)
      #expect(try await Self.counted(world) == [])
      try await limit(5)
      #expect(try await yard.a.code(.POST, "\(channel)/chats", file) == nil)
      #expect(try await yard.a.code(.POST, "\(channel)/chats", file) == "E11")
      // As a program of an earlier version leaves it.
      try await madang.database.write { _ = try $0.execute("UPDATE file_usage SET bytes = bytes - \(2 * size)") }
      try await madang.forgetWrongFileUsage()
      #expect(try await Self.counted(world) == [])
      #expect(try await yard.a.code(.POST, "\(channel)/chats", file) == "E11")
      try await limit(6)
      #expect(try await yard.a.code(.POST, "\(channel)/chats", file) == nil)
      try await madang.forgetWrongFileUsage()
      #expect(try await Self.counted(world) == [6 * size])
    }
  }

  @Test(
    "a post refused by a new quota keeps the computed sum",
    arguments: TestEngine.available)
  func refusedSum(_ engine: TestEngine) async throws {
    let size = Sample.png.count
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let channel = try await yard.a.channel("ios", in: yard.w)
      let file = World.Body.multipart([.file("files", Sample.png)])
      for _ in 0..<2 { _ = try await yard.a.success(.POST, "\(channel)/chats", file) }
      let quota = WorkspaceQuota(channels: nil, members: nil, fileBytes: size)
      _ = try await world.server.madang.setQuota(quota, of: WorkspaceName("Weekend Builders"), by: .hana)
      let codes = try await Self.codes(8) { _ in try await yard.a.code(.POST, "\(channel)/chats", file) }
      #expect(codes == ["E11": 8])
      #expect(try await Self.counted(world) == [2 * size])
    }
  }

  @Test(
    "computing a sum waits for a running deletion of files",
    arguments: TestEngine.available.filter { $0 == .postgres })
  func besideDeletion(_ engine: TestEngine) async throws {
    let size = Sample.png.count
    var settings = World.settings(\.quotas.files, 1000 * size)
    settings.database.writers = 2
    try await World.run(engine, settings: settings) { (world) async throws in
      let database = world.server.madang.database
      let yard = try await world.courtyard()
      let channel = try await yard.a.channel("ios", in: yard.w)
      let file = World.Body.multipart([.file("files", Sample.png)])
      _ = try await yard.a.success(.POST, "\(channel)/chats", file)
      // The sum was not computed yet.
      try await database.write { _ = try $0.execute("DELETE FROM file_usage") }
      let path: String = try await database.read {
        try $0.one("SELECT path FROM files WHERE room_id IS NOT NULL") { try $0.get("path") }
      }
      let (deleted, deletion) = AsyncStream<Void>.makeStream()
      let commit = DispatchSemaphore(value: 0)
      async let deleting: Void = database.writeAside { transaction in
        try transaction.deleteCountedFiles([path])
        // After all sums.
        transaction.beforeCommit(changing: SharedRow(kind: "last", number: 0)) { _, _ in
          deletion.finish()
          commit.wait()
        }
      }
      for await _ in deleted {}
      async let posting = yard.a.code(.POST, "\(channel)/chats", file)
      let isWaiting = try await World.eventually(within: .seconds(20)) {
        try await database.read {
          try $0.first(
            "SELECT 1 AS one FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
          ) { _ in true }
        } ?? false
      }
      commit.signal()
      try await deleting
      #expect(try await posting == nil)
      #expect(isWaiting)
      #expect(try await Self.counted(world) == [size])
    }
  }

  @Test(
    "parallel uploads and deletions are counted without repeated transactions",
    arguments: TestEngine.available)
  func beside(_ engine: TestEngine) async throws {
    let size = Sample.png.count
    var settings = World.settings(\.quotas.files, 1000 * size)
    (settings.files.perAccount, settings.database.writers) = (1000 * size, 4)
    settings.coins.signUp = 1000
    let log = LogRecorder()
    var logger = log.logger
    logger.logLevel = .debug
    try await World.run(engine, settings: settings, logger: logger) { (world) async throws in
      let madang = world.server.madang
      let people = [try await world.signUp("Mina"), try await world.signUp("Joon"), try await world.signUp("Sora")]
      var channels: [String] = []
      for index in 0..<3 {
        let workspace = try await people[index].workspace("Workspace \(index)")
        for other in people where other.id != people[index].id {
          try await people[index].invite(other, to: workspace)
        }
        for name in ["a", "b"] { channels.append(try await people[index].channel(name, in: workspace)) }
      }
      let file = World.Body.multipart([.file("files", Sample.png)])
      for channel in channels { for person in people { _ = try await person.get("\(channel)/chats") } }
      try await withThrowingTaskGroup(of: Void.self) { [channels] group in
        for n in 0..<90 {
          group.addTask {
            let chat = try await people[n % 3].success(.POST, "\(channels[(n / 3) % 6])/chats", file)
            guard n % 2 == 0, let id = chat["chat_id"]?.string else { return }
            try await madang.removeChat(.uuid(id), by: .hana)
          }
        }
        try await group.waitForAll()
      }
      #expect(try await Self.counted(world) == Array(repeating: 15 * size, count: 6))
      #expect(!log.lines.contains { $0.contains("run again") })
    }
  }
}
