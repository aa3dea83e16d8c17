import HTTPTypes
import NIOCore
import SocketIOClient
import SocketIOProtocol
import SocketIOServer
import Testing

@Suite("Servers of a cluster", .timeLimit(.minutes(5)))
struct ClusterTests {
  @Test("a broadcast reaches the sockets of all servers, once and in order", arguments: AdapterKind.available)
  func broadcast(kind: AdapterKind) async throws {
    try await TestCluster.with(kind) { (cluster) async throws in
      var here = await (try await cluster.client(of: 0)).events("e", as: Int.self).makeAsyncIterator()
      var there = await (try await cluster.client(of: 1)).events("e", as: Int.self).makeAsyncIterator()
      for number in 0..<100 { try cluster.nodes[0].server.emit("e", number, to: .main()) }
      for number in 0..<100 { #expect(try await there.next() == number) }
      // An event that returned to the first server would arrive before this one of the second.
      try cluster.nodes[1].server.emit("e", 100, to: .main())
      for number in 0...100 { #expect(try await here.next() == number) }
    }
  }

  @Test("equal consecutive broadcasts all arrive", arguments: AdapterKind.available)
  func equal(kind: AdapterKind) async throws {
    try await TestCluster.with(kind) { (cluster) async throws in
      var heard = await (try await cluster.client(of: 1)).events("e", as: Int.self).makeAsyncIterator()
      for _ in 0..<50 { try cluster.nodes[0].server.emit("e", 1, to: .main()) }
      try cluster.nodes[0].server.emit("e", 2, to: .main())
      for _ in 0..<50 { #expect(try await heard.next() == 1) }
      #expect(try await heard.next() == 2)
    }
  }

  @Test("rooms and exceptions apply on every server", arguments: AdapterKind.available)
  func rooms(kind: AdapterKind) async throws {
    try await TestCluster.with(kind) { (cluster) async throws in
      let teller = try await cluster.client(of: 0, in: "red")
      var red = await (try await cluster.client(of: 1, in: "red")).events("e", as: Int.self).makeAsyncIterator()
      var deaf = await (try await cluster.client(of: 1, in: "red", "deaf")).events("e", as: Int.self)
        .makeAsyncIterator()
      var own = await teller.events("e", as: Int.self).makeAsyncIterator()
      let server = cluster.nodes[0].server
      try server.emit("e", 1, to: .main(["blue"]))
      try server.emit("e", 2, to: .main(["red", "blue"], except: ["deaf"]))
      try await teller.emit("tell-others", 3, in: "/")
      #expect(try await red.next() == 2)
      #expect(try await red.next() == 3)
      #expect(try await deaf.next() == 3)
      try server.emit("e", 4, to: .main())
      #expect(try await own.next() == 2)
      #expect(try await own.next() == 4)
    }
  }

  @Test("a local event stays on its server", arguments: AdapterKind.available)
  func local(kind: AdapterKind) async throws {
    try await TestCluster.with(kind) { (cluster) async throws in
      var here = await (try await cluster.client(of: 0)).events("e", as: Int.self).makeAsyncIterator()
      let other = try await cluster.client(of: 1)
      var there = await other.events("e", as: Int.self).makeAsyncIterator()
      let server = cluster.nodes[0].server
      try server.emit("e", 1, to: .main(isLocal: true))
      server.join(["red"], for: .main(isLocal: true))
      server.disconnectSockets(in: .main(["nobody"], isLocal: true))
      try server.emit("e", 2, to: .main(["red"]))
      try server.emit("e", 3, to: .main())
      for number in 1...3 { #expect(try await here.next() == number) }
      #expect(try await there.next() == 3)
      #expect(await server.sockets(in: .main(isLocal: true)).count == 1)
      #expect(await server.sockets(in: .main()).count == 2)
      #expect(server.hasSockets(in: "/elsewhere") && !server.hasSockets(in: "/elsewhere", isLocal: true))
    }
  }

  @Test("sockets are found, moved between rooms and removed on every server", arguments: AdapterKind.available)
  func managing(kind: AdapterKind) async throws {
    try await TestCluster.with(kind, servers: 3) { (cluster) async throws in
      for index in 0..<3 { _ = try await cluster.client(of: index, in: "room \(index)") }
      let server = cluster.nodes[0].server
      let all = await server.sockets(in: .main())
      #expect(all.count == 3)
      let third = try #require(all.first { $0.rooms == ["room 2"] })
      #expect(third.data[Place.self] == Place(auth: #"{"at":2}"#))
      #expect(third.data[Secret.self] == nil)
      #expect(all.count { $0.data[Secret.self] != nil } == 1)
      #expect(third.namespace == "/" && third.transport == .webSocket)
      #expect(third.handshake.query["EIO"] == "4")
      #expect(third.handshake.query["color"] == "red&blue")
      #expect(third.handshake.headers[.upgrade] == "websocket")
      #expect(third.handshake.remoteAddress?.ipAddress == "127.0.0.1")
      #expect(await cluster.nodes[2].server.sockets(in: .main([third.id], isLocal: true)).count == 1)
      server.join(["blue"], for: .main(except: ["room 1"]))
      server.leave(["room 2"], for: .main(["blue"]))
      #expect(await Set(server.sockets(in: .main(["blue"])).map(\.rooms)) == [["blue", "room 0"], ["blue"]])
      server.disconnectSockets(in: .main(["blue"]), closingSessions: true)
      #expect(await server.sockets(in: .main()).map(\.rooms) == [["room 1"]])
    }
  }

  @Test("sockets are found although they do not fit into one answer")
  func many() async throws {
    try await TestCluster.with(.inMemory) { (cluster) async throws in
      for _ in 0..<210 { _ = try await cluster.client(of: 1) }
      #expect(await cluster.nodes[0].server.sockets(in: .main()).count == 210)
    }
  }

  @Test("attachments and large events arrive unchanged", arguments: AdapterKind.available)
  func large(kind: AdapterKind) async throws {
    try await TestCluster.with(kind) { (cluster) async throws in
      let client = try await cluster.client(of: 1)
      var heard = await client.events("e").makeAsyncIterator()
      let placeholder = Array(#"{"_placeholder":true,"num":0}"#.utf8)
      for size in [0, 1, 5_000, 5_600, 5_700, 100_000, 500_000] {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let text = JSONText.quotedBytes(String(repeating: "가", count: size / 3))
        let sent = SocketArguments([placeholder, text], attachments: [bytes])
        cluster.nodes[0].server.emit("e", sent, to: .main())
        #expect(try await heard.next(isolation: #isolation)?.arguments == sent)
      }
      #expect(cluster.nodes[0].server.clusterStats?.dropped == 0)
    }
  }

  @Test("a server that stops leaves the cluster at once", arguments: AdapterKind.available)
  func leaving(kind: AdapterKind) async throws {
    try await TestCluster.with(kind) { (cluster) async throws in
      let client = try await cluster.client(of: 1)
      await cluster.nodes[0].server.shutdown()
      #expect(await eventually { cluster.nodes[1].server.clusterStats?.servers == 0 })
      #expect(await cluster.nodes[1].server.sockets(in: .main()).count == 1)
      await client.close()
    }
  }
}
