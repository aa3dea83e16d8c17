import Foundation
import Logging
import Storage
import Support
import Testing

@Suite(.enabled(if: PostgresServer.url != nil), .timeLimit(.minutes(5))) struct NotificationTests {
  /// Two channels of one name, on two databases on one server, both connected. Channels are independent of schemas.
  private func withChannels(
    _ body: (
      _ databases: (Database, Database), _ sender: NotificationChannel, _ receiver: NotificationChannel,
      _ name: String
    ) async throws -> Void
  ) async throws {
    try await withDatabase(.postgres) { first in
      try await withDatabase(.postgres) { second in
        let name = "Test \"\(UUID().uuidString)\""
        let sender = try #require(try first.makeNotificationChannel(name))
        let receiver = try #require(try second.makeNotificationChannel(name))
        for channel in [sender, receiver] {
          var events = channel.events.makeAsyncIterator()
          #expect(await events.next() == .connected)
        }
        try await body((first, second), sender, receiver, name)
        await sender.close()
        await receiver.close()
      }
    }
  }

  @Test("a payload reaches the other members of the channel, but not the sender")
  func arrives() async throws {
    try await withChannels { _, sender, receiver, _ in
      sender.notify("안녕 $1 '\"")
      var events = receiver.events.makeAsyncIterator()
      #expect(await events.next() == .notified("안녕 $1 '\""))
      receiver.notify("answer")
      var answers = sender.events.makeAsyncIterator()
      #expect(await answers.next() == .notified("answer"))
    }
  }

  @Test("a payload that PostgreSQL cannot carry is ignored, and the channel continues")
  func unsendable() async throws {
    try await withChannels { _, sender, receiver, _ in
      sender.notify("a\0b")
      sender.notify(String(repeating: "x", count: NotificationChannel.payloadLimit + 1))
      let longest = String(repeating: "y", count: NotificationChannel.payloadLimit)
      sender.notify(longest)
      var events = receiver.events.makeAsyncIterator()
      #expect(await events.next() == .notified(longest))
    }
  }

  @Test("a channel whose connection was killed reconnects, reports it, and receives later payloads")
  func reconnects() async throws {
    try await withChannels { databases, sender, receiver, name in
      // The receiver is identified by its last LISTEN.
      let killed = try await databases.0.read { transaction in
        try transaction.all(
          """
          SELECT pg_terminate_backend(pid, 60000) AS x FROM pg_stat_activity
          WHERE query LIKE \("LISTEN%\(name.dropFirst(6).dropLast(1))%")
          """
        ) { try $0.get("x", as: Bool.self) }
      }
      #expect(killed == [true, true])
      var events = receiver.events.makeAsyncIterator()
      #expect(await events.next() == .connected)
      var others = sender.events.makeAsyncIterator()
      #expect(await others.next() == .connected)
      sender.notify("later")
      #expect(await events.next() == .notified("later"))
    }
  }

  @Test("payloads of many tasks all arrive, each once")
  func many() async throws {
    try await withChannels { _, sender, receiver, _ in
      await withTaskGroup { group in
        for task in 0..<8 {
          group.addTask { for n in 0..<50 { sender.notify("\(task) \(n)") } }
        }
      }
      var payloads: Set<String> = []
      for await case .notified(let payload) in receiver.events {
        #expect(payloads.insert(payload).inserted)
        if payloads.count == 400 { break }
      }
      #expect(payloads.count == 400)
    }
  }

  @Test("closing ends the events, even if the server cannot be reached")
  func closing() async throws {
    try await withChannels { _, _, receiver, _ in
      await receiver.close()
      var events = receiver.events.makeAsyncIterator()
      #expect(await events.next() == nil)
      receiver.notify("too late")
    }
  }

  @Test("SQLite has no channels")
  func embedded() async throws {
    try await withDatabase(.sqlite) { database in
      let channel = try database.makeNotificationChannel("any")
      #expect(channel == nil)
    }
  }
}
