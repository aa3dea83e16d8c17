import Foundation
import SocketIOClient
import SocketIOPostgres
import SocketIOProtocol
import SocketIOServer
import Testing

@Suite("The adapter for PostgreSQL", .enabled(if: PostgresServer.url != nil), .timeLimit(.minutes(5)))
struct PostgresAdapterTests {
  private static func named(_ adapter: PostgresAdapter, _ name: String) -> PostgresAdapter {
    var adapter = adapter
    adapter.url += "&application_name=\(name)"
    return adapter
  }

  @Test("a listener whose backend is terminated reconnects, and receives messages again")
  func terminated() async throws {
    try await TestCluster.withPostgres { adapter in
      let name = "listener_\(UInt64.random(in: .min ... .max))"
      try await TestCluster.with([adapter, Self.named(adapter, name)]) { (cluster) async throws in
        let client = try await cluster.client(of: 1)
        var heard = await client.events("e", as: Int.self).makeAsyncIterator()
        for round in 1...3 {
          let connections = cluster.nodes[1].adapter.connections
          try PostgresServer.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(name)'")
          #expect(await eventually { cluster.nodes[1].adapter.connections > connections })
          try cluster.nodes[0].server.emit("e", round, to: .main())
          #expect(try await heard.next() == round)
          cluster.nodes[1].server.emit("e", SocketArguments([Array("0".utf8)]), to: .main())
          #expect(try await heard.next() == 0)
          #expect(await cluster.nodes[0].server.sockets(in: .main()).count == 1)
        }
      }
    }
  }

  @Test(
    "a PostgreSQL that does not answer is replaced by a new connection, and delays no shutdown",
    .enabled(if: PostgresServer.url.flatMap { URL(string: $0) }?.host == "127.0.0.1", "no PostgreSQL on this machine"))
  func silent() async throws {
    try await TestCluster.withPostgres { adapter in
      let name = "silent_\(UInt64.random(in: .min ... .max))"
      var impatient = Self.named(adapter, name)
      (impatient.statementTimeout, impatient.closeTimeout) = (.seconds(3), .milliseconds(500))
      try await TestCluster.with([adapter, impatient]) { (cluster) async throws in
        let node = cluster.nodes[1]
        let connections = node.adapter.connections
        try await Self.stopping(name) {
          // It waits with its own message.
          try node.server.emit("e", 1, to: .main())
          #expect(await eventually { node.adapter.connections > connections })
        }
        let client = try await cluster.client(of: 1)
        var heard = await client.events("e", as: Int.self).makeAsyncIterator()
        // A slow connection is replaced too, and events sent meanwhile are lost.
        let emitting = Self.emitting(2, from: cluster.nodes[0].server)
        defer { emitting.cancel() }
        #expect(try await heard.next() == 2)
      }
      impatient.statementTimeout = .seconds(3600)
      try await TestCluster.with([adapter, impatient]) { (cluster) async throws in
        try await Self.stopping(name) {
          try cluster.nodes[1].server.emit("e", 1, to: .main())
          // Returns within the time limit, although there is no answer.
          await cluster.nodes[1].server.shutdown()
        }
      }
    }
  }

  /// Suspends the backends with this name while the body runs.
  private static func stopping(_ name: String, _ body: () async throws -> Void) async throws {
    let pids = try PostgresServer.run("SELECT pid FROM pg_stat_activity WHERE application_name = '\(name)'")
    let backends = pids.compactMap(Int32.init)
    #expect(!backends.isEmpty)
    for backend in backends { kill(backend, SIGSTOP) }
    defer { for backend in backends { kill(backend, SIGCONT) } }
    try await body()
  }

  /// Emits an event again and again, until the task is cancelled.
  private static func emitting(_ number: Int, from server: SocketIOServer) -> Task<Void, any Error> {
    Task {
      while !Task.isCancelled {
        try server.emit("e", number, to: .main())
        try await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  @Test("while connections are cut, broadcasts arrive at most once and in order, and afterwards all arrive again")
  func cut() async throws {
    try await TestCluster.withPostgres { adapter in
      let name = "cut_\(UInt64.random(in: .min ... .max))"
      let adapter = Self.named(adapter, name)
      try await TestCluster.with([adapter, adapter]) { (cluster) async throws in
        let client = try await cluster.client(of: 1)
        let events = await client.events("e", as: Int.self)
        let hearing = Task {
          var heard: [Int] = []
          for try await number in events where number >= 0 {
            heard.append(number)
            if number == .max { break }
          }
          return heard
        }
        let server = cluster.nodes[0].server
        for number in 0..<2_000 {
          try server.emit("e", number, to: .main())
          guard number % 400 == 200 else { continue }
          try PostgresServer.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(name)'")
        }
        let ending = Self.emitting(.max, from: server)
        let heard = try await hearing.value
        ending.cancel()
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $0 < $1 })
        #expect(heard.last == .max)
        var again = await client.events("f", as: Int.self).makeAsyncIterator()
        for number in 0..<100 { try server.emit("f", number, to: .main()) }
        for number in 0..<100 { #expect(try await again.next() == number) }
      }
    }
  }

  @Test("notifications that no server sends are skipped and counted")
  func garbage() async throws {
    try await TestCluster.withPostgres { adapter in
      try await TestCluster.with([adapter, adapter]) { (cluster) async throws in
        let client = try await cluster.client(of: 0)
        var heard = await client.events("e", as: Int.self).makeAsyncIterator()
        let payloads = [
          "", "garbage", "m", "m1", "m1:!", "m1:", "m1:/w==", "m1:AQ==", "m1:AQF/", "a", "a-1", "a1x", "a999999999",
          "a99999999999999999999", String(repeating: "m", count: 7_999),
        ]
        for payload in payloads {
          try PostgresServer.run("NOTIFY \(adapter.channel), '\(payload)'")
        }
        try cluster.nodes[1].server.emit("e", 1, to: .main())
        #expect(try await heard.next() == 1)
        #expect(cluster.nodes[0].server.clusterStats?.unreadable == payloads.count)
        #expect(cluster.nodes[0].server.clusterStats?.isConnected == true)
      }
    }
  }

  @Test("large messages are removed from their table by age")
  func cleaning() async throws {
    try await TestCluster.withPostgres { adapter in
      var adapter = adapter
      adapter.cleanupInterval = .milliseconds(20)
      adapter.attachmentLifetime = .seconds(3600)
      let schema = try #require(adapter.url.split(separator: "%3D").last)
      adapter.attachmentsTable = "\(schema).large"
      let table = adapter.attachmentsTable
      try await TestCluster.with([adapter, adapter]) { (cluster) async throws in
        let client = try await cluster.client(of: 1)
        var heard = await client.events("e").makeAsyncIterator()
        let text = SocketArguments([JSONText.quotedBytes(String(repeating: "x", count: 10_000))])
        cluster.nodes[0].server.emit("e", text, to: .main())
        #expect(try await heard.next(isolation: #isolation)?.arguments == text)
        try PostgresServer.run(
          "INSERT INTO \(table) (created_at, payload) VALUES (now() - interval '2 hours', '')")
        #expect(
          try await eventually {
            try PostgresServer.run("SELECT octet_length(payload) > 10000 FROM \(table)") == ["t"]
          })
      }
    }
  }

  @Test("without PostgreSQL emits do not wait, reach local sockets, and dropped messages are counted")
  func unreachable() async throws {
    var adapter = PostgresAdapter(url: "postgres://nobody@127.0.0.1:1/none")
    adapter.maxQueuedMessages = 10
    adapter.maxMessageBytes = 1000
    try await TestCluster.with([adapter]) { (cluster) async throws in
      let client = try await cluster.client(of: 0)
      var heard = await client.events("e", as: Int.self).makeAsyncIterator()
      let server = cluster.nodes[0].server
      for number in 0..<30 { try server.emit("e", number, to: .main()) }
      for number in 0..<30 { #expect(try await heard.next() == number) }
      #expect(try #require(server.clusterStats).dropped >= 20)
      server.emit("large", SocketArguments([JSONText.quotedBytes(String(repeating: "x", count: 1000))]), to: .main())
      #expect(await server.sockets(in: .main()).count == 1)
      #expect(server.clusterStats?.isConnected == false)
    }
  }
}
