import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@Suite("Socket.IO over every transport", .timeLimit(.minutes(5)))
struct SocketScenarioTests {
  @Test("a client joins the main namespace and gets an id of its own", arguments: Carrier.allCases)
  func joins(carrier: Carrier) async throws {
    try await TestServer.with { server in
      let client = try await EngineClient(server, carrier)
      let answer = try #require(try await client.join("/"))
      #expect(answer.hasPrefix(#"40{"sid":""#))
      let sid = await client.sid
      #expect(!answer.contains(sid))
      #expect(await server.settles(.init(sessions: 1, sockets: 1, namespaces: 1)))
    }
  }

  @Test("several namespaces share a session, and one is left without the others", arguments: Carrier.allCases)
  func namespaces(carrier: Carrier) async throws {
    try await TestServer.with { server in
      let client = try await EngineClient(server, carrier)
      for namespace in ["/", "/open-a", "/open-b"] { try await client.join(namespace) }
      try await client.send("41/open-a,")
      await server.journal.wait(for: "left /open-a: client namespace disconnect")
      server.server.emit("e", json: Array("1".utf8), to: "/open-a")
      server.server.emit("e", json: Array("2".utf8), to: "/open-b")
      #expect(try await client.text() == #"42/open-b,["e",2]"#)
      #expect(try await client.join("/open-a")?.hasPrefix(#"40/open-a,{"sid":""#) == true)
    }
  }

  @Test("an unknown namespace is refused and the session stays", arguments: Carrier.allCases)
  func unknownNamespace(carrier: Carrier) async throws {
    try await TestServer.with { server in
      let client = try await EngineClient(server, carrier)
      #expect(try await client.join("/random") == #"44/random,{"message":"Invalid namespace"}"#)
      #expect(try await client.join("/")?.hasPrefix("40") == true)
    }
  }

  @Test("a refusal carries message and data, an admission its data", arguments: Carrier.allCases)
  func admission(carrier: Carrier) async throws {
    try await TestServer.with { server in
      let client = try await EngineClient(server, carrier)
      #expect(try await client.join("/guarded") == #"44/guarded,{"message":"not allowed","data":{"code":1}}"#)
      #expect(try await client.join("/guarded", auth: #"{"token":"good"}"#)?.hasPrefix("40/guarded,") == true)
      try await client.send(#"42/guarded,1["data"]"#)
      #expect(try await client.text() == #"43/guarded,1["good"]"#)
    }
  }

  @Test("other namespaces do not wait for an asynchronous admission", arguments: Carrier.allCases)
  func slowAdmission(carrier: Carrier) async throws {
    try await TestServer.with { server in
      let client = try await EngineClient(server, carrier)
      try await client.send(#"40/guarded,{"token":"slow"}"#)
      await server.journal.wait(for: "considering")
      #expect(try await client.join("/")?.hasPrefix("40{") == true)
      await server.journal.add("decide")
      #expect(try await client.text()?.hasPrefix("40/guarded,") == true)
    }
  }

  @Test("a client that leaves while its request is pending never joins", arguments: Carrier.allCases)
  func leavesWhileConsidered(carrier: Carrier) async throws {
    try await TestServer.with { server in
      let client = try await EngineClient(server, carrier)
      try await client.join("/")
      try await client.send(#"40/guarded,{"token":"hang"}"#)
      await server.journal.wait(for: "hanging")
      try await client.send("41/guarded,")
      await server.journal.wait(for: "cancelled")
      #expect(try await client.join("/guarded", auth: #"{"token":"good"}"#)?.hasPrefix("40/guarded,") == true)
      #expect(server.server.stats.sockets == 2)
    }
  }

  @Test("the end of a session cancels pending admissions", arguments: Carrier.allCases)
  func endsWhileConsidered(carrier: Carrier) async throws {
    try await TestServer.with { server in
      let client = try await EngineClient(server, carrier)
      try await client.send(#"40/guarded,{"token":"hang"}"#)
      await server.journal.wait(for: "hanging")
      try await client.send("1")
      await server.journal.wait(for: "cancelled")
      #expect(await server.settles(.init(sessions: 0, sockets: 0, namespaces: 0)))
    }
  }

  @Test("events come back as they were sent", arguments: Carrier.allCases)
  func events(carrier: Carrier) async throws {
    try await TestServer.with { server in
      let client = try await EngineClient(server, carrier)
      try await client.join("/open")
      for arguments in [#"1,"2",{"3":[false]}"#, #""é😀""#, #"123456789012345678901234567890,-0,"\ud800""#, "null"] {
        try await client.send(#"42/open,["echo",\#(arguments)]"#)
        #expect(try await client.text() == #"42/open,["echo-back",\#(arguments)]"#)
      }
    }
  }

  @Test("acknowledgements go both ways, once", arguments: Carrier.allCases)
  func acknowledgements(carrier: Carrier) async throws {
    try await TestServer.with { server in
      let client = try await EngineClient(server, carrier)
      try await client.join("/")
      try await client.send(#"42456["twice",1,"2",{"3":[false]}]"#)
      #expect(try await client.text() == #"43456[1,"2",{"3":[false]}]"#)
      try await client.send(#"42["ask",5]"#)
      #expect(try await client.text() == #"420["question",5]"#)
      try await client.send("430[6]", "430[7]", "4399[8]")
      #expect(try await client.text() == #"42["answer",6]"#)
      try await client.send(#"42["ask-briefly"]"#)
      #expect(try await client.text() == #"421["question"]"#)
      #expect(try await client.text() == #"42["answer","timeout"]"#)
    }
  }

  @Test("binary values are sent in both directions, in order of appearance", arguments: Carrier.allCases)
  func binary(carrier: Carrier) async throws {
    try await TestServer.with { server in
      let client = try await EngineClient(server, carrier)
      try await client.join("/")
      let placeholder = { (number: Int) in #"{"_placeholder":true,"num":\#(number)}"# }
      try await client.send(
        #"452-789["echo",\#(placeholder(1)),\#(placeholder(0))]"#, "bAQID", "bBAU=")
      #expect(try await client.text() == #"462-789[\#(placeholder(0)),\#(placeholder(1))]"#)
      #expect(try await client.packet() == EnginePacket(binary: [4, 5]))
      #expect(try await client.packet() == EnginePacket(binary: [1, 2, 3]))
      try await client.send(#"451-["echo","x",{"k":\#(placeholder(0))}]"#, "bAQID")
      #expect(try await client.text() == #"451-["echo-back","x",{"k":\#(placeholder(0))}]"#)
      #expect(try await client.packet() == EnginePacket(binary: [1, 2, 3]))
    }
  }

  @Test("broadcasts reach all sockets once and in order", arguments: Carrier.allCases)
  func broadcasts(carrier: Carrier) async throws {
    try await TestServer.with { server in
      var clients: [EngineClient] = []
      for _ in 0..<4 {
        let client = try await EngineClient(server, carrier)
        try await client.join("/open")
        clients.append(client)
      }
      #expect(server.server.hasSockets(in: "/open") && !server.server.hasSockets(in: "/open-b"))
      for number in 0..<200 { server.server.emit("n", json: Array("\(number)".utf8), to: "/open") }
      for client in clients {
        for number in 0..<200 { #expect(try await client.text() == #"42/open,["n",\#(number)]"#) }
      }
    }
  }

  @Test("rooms are joined, addressed and left; the sender receives nothing", arguments: Carrier.allCases)
  func rooms(carrier: Carrier) async throws {
    try await TestServer.with { server in
      let first = try await EngineClient(server, carrier)
      let second = try await EngineClient(server, carrier)
      for client in [first, second] {
        try await client.join("/")
        try await client.send(#"421["join","r"]"#)
        #expect(try await client.text() == "431[]")
      }
      try await first.send(#"42["to-room","r",1]"#, #"42["others",2]"#, #"42["to-room","nobody",3]"#)
      #expect(try await second.text() == #"42["said",1]"#)
      #expect(try await second.text() == #"42["said",2]"#)
      try await second.send(#"422["leave","r"]"#)
      #expect(try await second.text() == "432[]")
      try await first.send(#"42["to-room","r",4]"#, #"423["echo","end"]"#)
      #expect(try await first.text() == #"433["end"]"#)
      try await second.send(#"423["echo","end"]"#)
      #expect(try await second.text() == #"433["end"]"#)
    }
  }

  @Test("rooms are a union, exceptions a difference, and no socket gets two copies")
  func unions() async throws {
    try await TestServer.with { server in
      var clients: [EngineClient] = []
      for rooms in [["a", "b"], ["b"], ["c"], ["a", "c"]] {
        let client = try await EngineClient(server, .webSocket)
        try await client.join("/")
        for room in rooms {
          try await client.send(#"421["join","\#(room)"]"#)
          #expect(try await client.text() == "431[]")
        }
        clients.append(client)
      }
      let target = BroadcastTarget(namespace: "/", rooms: ["a", "b"], except: ["c"])
      server.server.emit("e", SocketArguments([Array("1".utf8)]), to: target)
      server.server.emit("end", SocketArguments(), to: BroadcastTarget(namespace: "/"))
      for client in clients[0...1] { #expect(try await client.text() == #"42["e",1]"#) }
      for client in clients { #expect(try await client.text() == #"42["end"]"#) }
    }
  }

  @Test("the server removes a socket and the session stays; or ends the session", arguments: Carrier.allCases)
  func serverDisconnects(carrier: Carrier) async throws {
    try await TestServer.with { server in
      let client = try await EngineClient(server, carrier)
      try await client.join("/")
      try await client.join("/open")
      try await client.send(#"42/open,["bye"]"#)
      #expect(try await client.text() == "41/open,")
      await server.journal.wait(for: "left /open: server namespace disconnect")
      try await client.send(#"42["bye-all"]"#)
      #expect(try await client.text() == "41")
      #expect(try await client.packet() == nil)
      await server.journal.wait(for: "left /: server namespace disconnect")
      #expect(await server.settles(sessions: 0))
    }
  }

  @Test("disconnectSockets removes the sockets for which the predicate is true", arguments: Carrier.allCases)
  func disconnectSockets(carrier: Carrier) async throws {
    try await TestServer.with { server in
      let client = try await EngineClient(server, carrier)
      try await client.join("/guarded", auth: #"{"token":"good"}"#)
      try await client.join("/open")
      server.server.disconnectSockets(in: "/guarded") { $0[TestUser.self]?.number == 8 }
      server.server.disconnectSockets(in: "/guarded") { $0[TestUser.self]?.number == 7 }
      #expect(try await client.text() == "41/guarded,")
      try await client.send(#"42/open,1["echo"]"#)
      #expect(try await client.text() == "43/open,1[]")
    }
  }

  @Test("a packet out of place ends a strict session", arguments: Carrier.allCases)
  func strict(carrier: Carrier) async throws {
    for packet in ["40", #"42/open,["a"]"#, "42{}", "41/open,", "7"] {
      try await TestServer.with(.changed { $0.latePostTimeout = .zero }) { server in
        let client = try await EngineClient(server, carrier)
        try await client.join("/")
        try await client.send(packet)
        await server.journal.wait(for: "left /: parse error")
        #expect(try await client.packet() == nil)
        #expect(await server.settles(sessions: 0))
      }
    }
  }

  @Test("a lenient server ignores events without handlers and answers a second CONNECT", arguments: Carrier.allCases)
  func lenient(carrier: Carrier) async throws {
    try await TestServer.with(.changed { $0.conduct = .lenient }) { server in
      let client = try await EngineClient(server, carrier)
      let first = try await client.join("/silent")
      try await client.send(#"42/silent,["x"]"#, #"42/silent,1["y",2]"#, #"42/other,["z"]"#)
      #expect(try await client.join("/silent") == first)
      server.server.emit("e", json: Array("1".utf8), to: "/silent")
      server.server.emit("e", json: Array("2".utf8), to: "/silent")
      #expect(try await client.text() == #"42/silent,["e",1]"#)
      #expect(try await client.text() == #"42/silent,["e",2]"#)
    }
  }

  @Test("a client that never joins is closed after connectTimeout", arguments: Carrier.allCases)
  func connectTimeout(carrier: Carrier) async throws {
    try await TestServer.with(.changed { $0.connectTimeout = .seconds(30) }) { server in
      let client = try await EngineClient(server, carrier)
      #expect(try await client.packet() == nil)
      #expect(await server.settles(sessions: 0))
    }
  }

  @Test("pings keep a session alive, and their absence ends it", arguments: Carrier.allCases)
  func heartbeat(carrier: Carrier) async throws {
    try await TestServer.with(
      .changed {
        $0.pingInterval = .milliseconds(100)
        $0.pingTimeout = .seconds(30)
      }
    ) { server in
      let client = try await EngineClient(server, carrier)
      try await client.join("/")
      // Longer than interval and timeout together; the client answers pings while it waits for its answers.
      let end = ContinuousClock.now + .seconds(31)
      while ContinuousClock.now < end {
        try await client.send(#"42["ask-briefly",1]"#)
        #expect(try await client.text()?.hasSuffix(#"["question",1]"#) == true)
        #expect(try await client.text() == #"42["answer","timeout"]"#)
      }
      await server.journal.wait(for: "left /: ping timeout")
      #expect(await server.settles(sessions: 0))
    }
  }

  @Test("a shutdown ends every session and returns", arguments: Carrier.allCases)
  func shutdown(carrier: Carrier) async throws {
    try await TestServer.with(.changed { $0.closeTimeout = .milliseconds(200) }) { server in
      let client = try await EngineClient(server, carrier)
      try await client.join("/")
      await server.server.shutdown()
      await server.journal.wait(for: "left /: server shutting down")
      #expect(await server.settles(.init(sessions: 0, sockets: 0, namespaces: 0)))
      let late = try await server.wire().request("GET", "/socket.io/?EIO=4&transport=polling")
      #expect(late.status == 503)
    }
  }
}
