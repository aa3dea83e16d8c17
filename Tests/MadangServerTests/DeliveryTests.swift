import Foundation
import MadangCore
import MadangOperations
import MadangServer
import NIOHTTP1
import SocketIOClient
import SocketIOProtocol
import Storage
import Support
import Synchronization
import Testing

@Suite("Delivery from the log", .timeLimit(.minutes(5)))
struct DeliveryTests {
  /// The texts of the next chats of a room.
  private static func texts(_ count: Int, _ updates: inout SocketEndingsTests.Updates) async throws -> [String] {
    var texts: [String] = []
    while texts.count < count, let update = try await updates.next(isolation: #isolation) {
      guard case .event(let event) = update.kind, let json = event.arguments.values.first else {
        throw SocketsTests.Refused()
      }
      texts.append(try JSON(json)["content"]?.string ?? "")
    }
    return texts
  }

  /// Posts a chat into every room like another process, without any notice.
  static func write(_ text: String, by person: TestPerson, behind world: World) async throws {
    _ = try await world.server.madang.database.write { [now = world.clock.now] transaction in
      try transaction.execute(
        """
        UPDATE rooms SET last_seq = last_seq + 1,
          last_chat_at = CASE WHEN last_chat_at >= \(now) THEN last_chat_at + 1 ELSE \(now) END
        """)
      try transaction.execute(
        """
        INSERT INTO chats (uuid, room_id, seq, author_id, author_ordinal, content, file_count, created_at)
        SELECT 'chat', r.id, r.last_seq, u.id, r.last_seq, \(text), 0, r.last_chat_at
        FROM rooms r, users u WHERE u.email = \(person.email)
        """)
    }
  }

  @Test(
    "chats without a commit notice are delivered once, in order with others", arguments: TestEngine.available)
  func untold(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let channel = try await a.channel("ios", in: try await a.workspace())
      try await SocketsTests.withSocket(world) { client in
        var updates = try await SocketEndingsTests.join(client, channel, as: a)
        _ = try await a.say("1", in: channel)
        for text in ["2", "3"] { try await Self.write(text, by: a, behind: world) }
        _ = try await a.say("4", in: channel)
        _ = try await a.say("5", in: channel)
        try await Self.write("6", by: a, behind: world)
        #expect(try await Self.texts(6, &updates) == ["1", "2", "3", "4", "5", "6"])
      }
    }
  }

  @Test(
    "a chat whose COMMIT answer was lost is stored and delivered once, in order",
    .enabled(if: PostgresServer.url != nil))
  func lostAnswer() async throws {
    try await withEngine(.postgres) { place in
      guard case .postgres(let url) = place else { return }
      try await DatabaseRelay.run(to: url) { url, relay in
        var settings = World.settings(\.database.url, url)
        settings.dataDirectory = FileManager.default.temporaryDirectory.appending(path: "madang-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: settings.dataDirectory) }
        try await World.run(settings) { (world) async throws in
          let a = try await world.signUp("Mina")
          let channel = try await a.channel("ios", in: try await a.workspace())
          try await SocketsTests.withSocket(world) { client in
            var updates = try await SocketEndingsTests.join(client, channel, as: a)
            _ = try await a.say("1", in: channel)
            for text in ["lost 2", "lost 3"] {
              relay.loseCommit(of: text)
              #expect(try await a.code(.POST, "\(channel)/chats", .json(["content": .text(text)])) == "E99")
            }
            #expect(relay.lost == 2)
            _ = try await a.say("4", in: channel)
            let all = ["1", "lost 2", "lost 3", "4"]
            #expect(try await Self.texts(4, &updates) == all)
            let history = try await a.get("\(channel)/chats")
            #expect(history.list?.compactMap { $0["content"]?.string } == all)
          }
        }
      }
    }
  }

  @Test("a chat whose row was removed does not delay the chats after it", arguments: TestEngine.available)
  func removed(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let channel = try await a.channel("ios", in: try await a.workspace())
      try await SocketsTests.withSocket(world) { client in
        var updates = try await SocketEndingsTests.join(client, channel, as: a)
        _ = try await a.say("1", in: channel)
        // Two numbers are gone at once, the last one as well.
        for text in ["4", nil] {
          _ = try await world.server.madang.database.write { transaction in
            try transaction.execute("UPDATE rooms SET last_seq = last_seq + 2, last_chat_at = last_chat_at + 2")
          }
          if let text { try await Self.write(text, by: a, behind: world) }
        }
        _ = try await a.say("7", in: channel)
        #expect(try await Self.texts(3, &updates) == ["1", "4", "7"])
      }
    }
  }

  @Test(
    "chats that reuse numbers lost by the database are delivered",
    arguments: TestEngine.available)
  func lostChats(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let channel = try await a.channel("ios", in: try await a.workspace())
      try await SocketsTests.withSocket(world) { client in
        var updates = try await SocketEndingsTests.join(client, channel, as: a)
        for text in ["1", "2", "3", "4"] { _ = try await a.say(text, in: channel) }
        #expect(try await Self.texts(4, &updates) == ["1", "2", "3", "4"])
        try await Self.forget(after: 2, in: world)
        for text in ["3b", "4b", "5b"] { _ = try await a.say(text, in: channel) }
        #expect(try await Self.texts(3, &updates) == ["3b", "4b", "5b"])
        try await Self.forget(after: 4, in: world)
        try await Self.write("5c", by: a, behind: world)
        #expect(try await Self.texts(1, &updates) == ["5c"])
        _ = try await a.say("6c", in: channel)
        #expect(try await Self.texts(1, &updates) == ["6c"])
      }
    }
  }

  @Test(
    "chats that reuse lost numbers from before a room's first socket are delivered",
    arguments: TestEngine.available)
  func lostBefore(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let channel = try await a.channel("ios", in: try await a.workspace())
      for text in ["1", "2", "3", "4", "5"] { _ = try await a.say(text, in: channel) }
      try await SocketsTests.withSocket(world) { client in
        var updates = try await SocketEndingsTests.join(client, channel, as: a)
        _ = try await a.say("6", in: channel)
        #expect(try await Self.texts(1, &updates) == ["6"])
        try await Self.forget(after: 3, in: world)
        for text in ["4b", "5b", "6b", "7b"] { _ = try await a.say(text, in: channel) }
        #expect(try await Self.texts(4, &updates) == ["4b", "5b", "6b", "7b"])
        try await Self.forget(after: 2, in: world)
        try await Self.write("3c", by: a, behind: world)
        #expect(try await Self.texts(1, &updates) == ["3c"])
      }
    }
  }

  /// As a replica that takes over without the last chats; time goes on.
  private static func forget(after seq: Int, in world: World) async throws {
    _ = try await world.server.madang.database.write { transaction in
      try transaction.execute("DELETE FROM chats WHERE seq > \(seq)")
      try transaction.execute(
        """
        UPDATE rooms SET last_seq = \(seq), last_chat_at = (SELECT MAX(created_at) FROM chats) WHERE last_seq > \(seq)
        """)
    }
    world.clock.advance(milliseconds: 1000)
  }

  /// The same on PostgreSQL, where the connections of this world's writers end, which share a lock.
  private static func lose(after seq: Int, of world: World) async throws {
    try await forget(after: seq, in: world)
    await endWriters(of: world)
  }

  /// As if PostgreSQL had been restarted, for this world.
  private static func endWriters(of world: World) async {
    _ = try? await world.server.madang.database.write { transaction in
      _ = try transaction.all(
        """
        SELECT pg_terminate_backend(pid) AS ended FROM pg_locks
        WHERE locktype = 'advisory' AND objsubid = 2 AND pid <> pg_backend_pid()
          AND classid = CAST(hashtext('madang schema of ' || current_schema()) AS oid)
        """
      ) { _ in true }
      _ = try transaction.all("SELECT pg_terminate_backend(pg_backend_pid()) AS ended") { _ in true }
    }
  }

  @Test(
    "a chat does not hide the one before it that reuses a lost number",
    arguments: TestEngine.available.filter { $0 == .postgres })
  func hiddenByItsFollower(_ engine: TestEngine) async throws {
    try await World.pair(engine) { first, second in
      let a = try await first.signUp("Mina")
      let channel = try await a.channel("ios", in: try await a.workspace())
      _ = try await a.say("1", in: channel)
      try await SocketsTests.withSocket(first) { client in
        var updates = try await SocketEndingsTests.join(client, channel, as: a)
        _ = try await a.say("2", in: channel)
        #expect(try await Self.texts(1, &updates) == ["2"])
        try await Self.lose(after: 1, of: first)
        // At another server, whose notice is lost.
        #expect(try await World.eventually { (try? await Self.write("2b", by: a, behind: second)) != nil })
        #expect(try await World.eventually { (try? await a.say("3b", in: channel)) != nil })
        #expect(try await Self.texts(2, &updates) == ["2b", "3b"])
      }
    }
  }

  @Test(
    "sockets stay open while the database cannot answer who may read a room",
    arguments: TestEngine.available.filter { $0 == .postgres })
  func unanswered(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let channel = try await a.channel("ios", in: try await a.workspace())
      let database = world.server.madang.database
      let key = Int64(Int32.random(in: 1...Int32.max))
      // Members cannot be read after the first chat; a lock that outlives the transaction shows that they were read.
      try await database.write { transaction in
        try transaction.execute("ALTER TABLE workspace_members RENAME TO members")
        try transaction.execute(
          """
          CREATE FUNCTION answers() RETURNS BOOLEAN LANGUAGE plpgsql AS $$ BEGIN
            IF current_setting('transaction_read_only') = 'on' AND EXISTS (SELECT 1 FROM chats) THEN
              PERFORM pg_try_advisory_lock(\(raw: "\(key)"));
              RAISE EXCEPTION 'not now';
            END IF;
            RETURN TRUE;
          END $$
          """)
        try transaction.execute("CREATE VIEW workspace_members AS SELECT * FROM members WHERE answers()")
      }
      try await SocketsTests.withSocket(world) { client in
        var updates = try await SocketEndingsTests.join(client, channel, as: a)
        await Self.endWriters(of: world)
        #expect(try await World.eventually { (try? await a.say("1", in: channel)) != nil })
        #expect(try await SocketEndingsTests.next(&updates) == "channel")
        #expect(
          try await World.eventually {
            try await database.read {
              try $0.first("SELECT 1 AS found FROM pg_locks WHERE locktype = 'advisory' AND objid = \(key)") {
                _ in true
              }
            } != nil
          })
        try await database.write { transaction in
          try transaction.execute("DROP VIEW workspace_members")
          try transaction.execute("ALTER TABLE members RENAME TO workspace_members")
        }
        #expect(try await World.eventually { (try? await a.say("2", in: channel)) != nil })
        #expect(try await SocketEndingsTests.next(&updates) == "channel")
      }
    }
  }

  @Test("sockets at two servers get the same chats in the same order, once", arguments: TestEngine.available)
  func pair(_ engine: TestEngine) async throws {
    try await World.pair(engine) { first, second in
      let yard = try await first.courtyard()
      let (a, b) = (yard.a, yard.b.at(second))
      let channel = try await a.channel("ios", in: yard.w)
      _ = try await b.get("\(channel)/chats")
      try await SocketsTests.withSocket(first) { mine in
        try await SocketsTests.withSocket(second) { theirs in
          var atFirst = try await SocketEndingsTests.join(mine, channel, as: a)
          var atSecond = try await SocketEndingsTests.join(theirs, channel, as: b)
          for index in 0..<20 { _ = try await (index.isMultiple(of: 3) ? a : b).say("\(index)", in: channel) }
          let heard = try await Self.texts(20, &atFirst)
          #expect(heard == (0..<20).map(String.init))
          #expect(try await Self.texts(20, &atSecond) == heard)
          await withTaskGroup { group in
            for index in 0..<40 {
              group.addTask { _ = try? await (index.isMultiple(of: 2) ? a : b).say("p\(index)", in: channel) }
            }
          }
          let together = try await Self.texts(40, &atFirst)
          #expect(Set(together).count == 40)
          #expect(try await Self.texts(40, &atSecond) == together)
        }
      }
    }
  }

  private final class Heard: Sendable {
    let texts = Mutex<[String]>([])
  }

  @Test(
    "a chat from another server is delivered without a read of the database",
    arguments: TestEngine.available.filter { $0 == .postgres })
  func unasked(_ engine: TestEngine) async throws {
    try await World.pair(engine) { first, second in
      let a = try await first.signUp("Mina")
      let channel = try await a.channel("ios", in: try await a.workspace())
      try await SocketsTests.withSocket(second) { client in
        let heard = Heard()
        let listening = Task {
          var updates = try await SocketEndingsTests.join(client, channel, as: a)
          heard.texts.withLock { $0.append("joined") }
          while let text = try await Self.texts(1, &updates).first { heard.texts.withLock { $0.append(text) } }
        }
        defer { listening.cancel() }
        func isHeard(_ text: String, within limit: Duration) async throws -> Bool {
          try await World.eventually(within: limit) { heard.texts.withLock { $0.contains(text) } }
        }
        #expect(try await isHeard("joined", within: .seconds(60)))
        var (attempt, isUnasked) = (0, false)
        // A server that has just begun to listen asks first.
        while !isUnasked, attempt < 10 {
          attempt += 1
          _ = try await a.say("asked \(attempt)", in: channel)
          #expect(try await isHeard("asked \(attempt)", within: .seconds(30)))
          // Without it the server cannot read what is new.
          let database = first.server.madang.database
          _ = try await database.write { try $0.execute("ALTER TABLE changes RENAME TO hidden_changes") }
          _ = try await a.say("unasked \(attempt)", in: channel)
          isUnasked = try await isHeard("unasked \(attempt)", within: .seconds(3))
          _ = try await database.write { try $0.execute("ALTER TABLE hidden_changes RENAME TO changes") }
        }
        #expect(isUnasked)
      }
    }
  }

  @Test("access that ends at one server closes sockets at another", arguments: TestEngine.available)
  func takenAway(_ engine: TestEngine) async throws {
    try await World.pair(engine) { first, second in
      let yard = try await first.courtyard()
      let (a, b, w) = (yard.a, yard.b, yard.w)
      let channel = try await a.channel("ios", in: w)
      let deleted = try await a.channel("web", in: w)
      let other = try await first.signUp("Haru")
      try await a.invite(other, to: w)
      try await SocketsTests.withSocket(second) { client in
        var inDeleted = try await SocketEndingsTests.join(client, deleted, as: a)
        _ = try await a.success(.DELETE, deleted)
        #expect(try await SocketEndingsTests.next(&inDeleted) == "41")
        try await SocketsTests.withSocket(second) { theirs in
          var ofMember = try await SocketEndingsTests.join(theirs, channel, as: b)
          _ = try await b.get("\(w)/exit")
          #expect(try await SocketEndingsTests.next(&ofMember) == "41")
        }
        try await SocketsTests.withSocket(second) { theirs in
          var ofSession = try await SocketEndingsTests.join(theirs, channel, as: other)
          _ = try await other.call(.GET, "users/logout")
          #expect(try await SocketEndingsTests.next(&ofSession) == "41")
        }
        var ofOwner = try await SocketEndingsTests.join(client, channel, as: a)
        _ = try await first.server.madang.disable(email: a.email, by: .hana)
        #expect(try await SocketEndingsTests.next(&ofOwner) == "41")
      }
    }
  }

  @Test("a connect that waits at one server is accepted when another makes its account a member")
  func held() async throws {
    try await World.pair(.sqlite, settings: World.settings(\.sockets.hold, .seconds(60))) { first, second in
      let a = try await first.signUp("Mina")
      let b = try await first.signUp("Joon")
      let w = try await a.workspace()
      let channel = try await a.channel("ios", in: w)
      try await SocketsTests.withSocket(second) { client in
        async let admission = SocketsTests.admission(
          client, SocketsTests.namespace(channel), auth: ["token": .text(b.token)])
        #expect(try await World.eventually { second.server.held == 1 })
        try await a.invite(b, to: w)
        #expect(try await admission == "joined")
      }
    }
  }
}
