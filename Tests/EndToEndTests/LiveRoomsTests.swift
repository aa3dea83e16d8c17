import Foundation
import MadangAPI
import MadangClient
import Support
import Testing

@Suite("MadangClient: live rooms of a server that is killed", .serialized, .timeLimit(.minutes(5)))
struct LiveRoomsTests {
  @Test("after a kill and restart of the server no chat is lost or repeated, even if the token expired meanwhile")
  func restart() async throws {
    try await TestServer.run { server in
      try await server.withPerson("Mina") { mina in
        let room = try await mina.newRoom()
        var events = mina.watch([room]).makeAsyncIterator()
        #expect(try await events.next() == .live)
        let seen = try await mina.post("seen", to: room)
        #expect(try await events.next() == .chat(seen))

        server.program.signal(SIGKILL)
        #expect(await server.program.status() != 0)
        let second = try await server.restarted()
        try await second.advanceClock(seconds: 25 * 3600)
        let missed = try await mina.post("missed", to: room)

        guard case .interrupted? = try await events.next() else {
          Issue.record("an interruption is told")
          return
        }
        #expect(try await events.next() == .chat(missed))
        #expect(try await events.next() == .live)
        let after = try await mina.post("after", to: room)
        #expect(try await events.next() == .chat(after))
        second.program.signal(SIGTERM)
        #expect(await second.program.status() == 0)
      }
    }
  }
}
