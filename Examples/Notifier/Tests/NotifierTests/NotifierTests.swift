import Foundation
import Hummingbird
import Notifier
import SocketIOClient
import SocketIOServer
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite struct NotifierTests {
  private static let tokens = Tokens(secret: "of a test")

  /// Runs two nodes that are one for the body, which gets their ports.
  private static func withTwoNodes(_ body: @escaping @Sendable (Int, Int) async throws -> Void) async throws {
    let adapter = InMemoryAdapter()
    let (ports, port) = AsyncStream<Int>.makeStream()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        let node = NotifierServer(tokens: tokens, sendersToken: "sender", adapter: adapter)
        group.addTask {
          try await node.socketIO.run(node.application(port: 0) { port.yield($0) }, stopsOnSignals: false)
        }
      }
      var found = ports.makeAsyncIterator()
      if let first = await found.next(), let second = await found.next() { try await body(first, second) }
      group.cancelAll()
      // The servers end with the cancellation.
      while let ended = await group.nextResult() { _ = ended }
    }
  }

  private static func post(_ note: String, to port: Int, token: String) async throws -> Int? {
    guard let url = URL(string: "http://127.0.0.1:\(port)/notes") else { return nil }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    request.httpBody = Data(note.utf8)
    return (try await URLSession.shared.data(for: request).1 as? HTTPURLResponse)?.statusCode
  }

  @Test func aNoteReachesItsUserAtAnotherNodeAndNobodyElse() async throws {
    try await Self.withTwoNodes { first, second in
      let (mina, joon) = (
        try SocketIOClient(url: "http://127.0.0.1:\(second)"), try SocketIOClient(url: "http://127.0.0.1:\(second)")
      )
      for (client, user) in [(mina, "mina"), (joon, "joon")] {
        Task { await client.run() }
        try await client.connect(to: "/notes", auth: ["token": Self.tokens.token(of: user)])
      }
      let (minas, joons) = (
        await mina.events("note", as: String.self, in: "/notes"),
        await joon.events("note", as: String.self, in: "/notes")
      )
      #expect(try await Self.post(#"{"user":"mina","text":"for Mina"}"#, to: first, token: "sender") == 202)
      #expect(try await Self.post(#"{"user":"joon","text":"for Joon"}"#, to: first, token: "sender") == 202)
      var (ofMina, ofJoon) = (minas.makeAsyncIterator(), joons.makeAsyncIterator())
      #expect(try await ofMina.next() == "for Mina")
      // The first that Joon hears is his own.
      #expect(try await ofJoon.next() == "for Joon")
      await mina.close()
      await joon.close()
    }
  }

  @Test(arguments: ["", "mina", "mina.", Tokens(secret: "another").token(of: "mina")])
  func whoShowsNoTokenOfOursIsRefused(_ token: String) async throws {
    #expect(Self.tokens.user(of: token) == nil)
    try await Self.withTwoNodes { first, _ in
      let client = try SocketIOClient(url: "http://127.0.0.1:\(first)")
      Task { await client.run() }
      await #expect(throws: SocketIOError.self) {
        try await client.connect(to: "/notes", auth: ["token": token])
      }
      await client.close()
      #expect(try await Self.post(#"{"user":"mina","text":"x"}"#, to: first, token: "wrong") == 401)
    }
  }
}
