import SocketIOProtocol
import SocketIOSupport
import Testing

/// The requirements of the official socket.io-protocol suite for a server, written from the protocol's text, and the same for revision 4.
@Suite("Socket.IO as in its official suite", .timeLimit(.minutes(5)))
struct SocketIOSuiteTests {
  @Test(
    "connect: a namespace is joined, and the handshake's payload arrives",
    arguments: [
      ("40", "40", "42", "{}"), (#"40{"token":"123"}"#, "40", "42", #"{"token":"123"}"#),
      ("40/custom,", "40/custom,", "42/custom,", "{}"),
      (#"40/custom,{"token":"abc"}"#, "40/custom,", "42/custom,", #"{"token":"abc"}"#),
    ])
  func connects(packet: String, answer: String, event: String, auth: String) async throws {
    try await SuiteServer.with(mode: "socket") { server in
      let webSocket = try await server.opened()
      try await webSocket.send(packet)
      let connected = try #require(await webSocket.text())
      #expect(connected.wholeMatch(of: try Regex(#"\#(answer)\{"sid":"[A-Za-z0-9_-]{20}"\}"#)) != nil)
      #expect(await webSocket.text() == #"\#(event)["auth",\#(auth)]"#)
    }
  }

  @Test(
    "connect: a client that loses all but the first message of a read gets the answer, then the first event",
    arguments: [EngineRevision.v4, .v3])
  func connectsInTurns(revision: EngineRevision) async throws {
    // A client that stands still for longer than the pause gets both messages in one read. No ping comes between them.
    try await SuiteServer.with(mode: "socket", revision: revision, pingInterval: 600_000, connectPause: 30_000) {
      server in
      let webSocket = try await server.webSocket()
      if revision == .v4 {
        #expect(await webSocket.textOfNextRead()?.hasPrefix("0{") == true)
        try await webSocket.send("40")
      } else {
        // Clients join the main namespace automatically, and are notified when the session opens.
        #expect(await webSocket.text()?.hasPrefix("0{") == true)
      }
      #expect(await webSocket.textOfNextRead()?.hasPrefix("40") == true)
      #expect(await webSocket.textOfNextRead() == #"42["auth",{}]"#)
      try await webSocket.send("40/custom,")
      #expect(await webSocket.textOfNextRead()?.hasPrefix("40/custom,") == true)
      #expect(await webSocket.textOfNextRead() == #"42/custom,["auth",{}]"#)
      try await webSocket.send(#"42["message","a"]"#)
      #expect(await webSocket.textOfNextRead() == #"42["message-back","a"]"#)
    }
  }

  @Test("connect: an unknown namespace is refused, and the session stays")
  func unknownNamespace() async throws {
    try await SuiteServer.with(mode: "socket") { server in
      let webSocket = try await server.opened()
      try await webSocket.send("40/random")
      #expect(await webSocket.text() == #"44/random,{"message":"Invalid namespace"}"#)
      try await webSocket.send("40")
      #expect(await webSocket.text()?.hasPrefix("40{") == true)
    }
  }

  @Test(
    "connect: a broken payload, or another packet first, closes", arguments: ["4abc", "40{", #"42["message"]"#, "41"])
  func invalidHandshake(packet: String) async throws {
    try await SuiteServer.with(mode: "socket") { server in
      let webSocket = try await server.opened()
      try await webSocket.send(packet)
      #expect(await webSocket.isClosed())
    }
  }

  @Test("connect: without a CONNECT the connection is closed in time")
  func noHandshake() async throws {
    try await SuiteServer.with(mode: "socket", connectTimeout: 500) { server in
      let webSocket = try await server.opened()
      #expect(await webSocket.isClosed())
    }
  }

  private func joined(_ server: SuiteServer, _ namespace: String = "") async throws -> RawWebSocket {
    let webSocket = try await server.opened()
    try await webSocket.send("40\(namespace)")
    for _ in 0..<2 { _ = try await webSocket.packet() }
    return webSocket
  }

  @Test("disconnect: the namespace is left, and the engine continues to ping", arguments: ["", "/custom,"])
  func disconnects(namespace: String) async throws {
    try await SuiteServer.with(mode: "socket", pingInterval: 300) { server in
      let webSocket = try await joined(server, namespace)
      try await webSocket.send("41\(namespace)")
      #expect(await webSocket.text() == "2")
      try await webSocket.send("3")
      #expect(await webSocket.text() == "2")
      try await webSocket.send("40\(namespace)")
      #expect(await webSocket.text()?.hasPrefix("40\(namespace){") == true)
    }
  }

  @Test("disconnect: leaving one namespace leaves the other joined")
  func disconnectsOne() async throws {
    try await SuiteServer.with(mode: "socket") { server in
      let webSocket = try await joined(server)
      try await webSocket.send("40/custom,")
      for _ in 0..<2 { _ = await webSocket.text() }
      try await webSocket.send("41/custom,")
      try await webSocket.send(#"42["message","still here"]"#)
      #expect(await webSocket.text() == #"42["message-back","still here"]"#)
    }
  }

  @Test("event: text comes back, keys in order and without spaces")
  func event() async throws {
    try await SuiteServer.with(mode: "socket") { server in
      let webSocket = try await joined(server)
      try await webSocket.send(#"42["message",1,"2",{"3":[true]}]"#)
      #expect(await webSocket.text() == #"42["message-back",1,"2",{"3":[true]}]"#)
    }
  }

  private static let two = #"{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}"#

  @Test("event: attachments come back after their event, in order")
  func binaryEvent() async throws {
    try await SuiteServer.with(mode: "socket") { server in
      let webSocket = try await joined(server)
      try await webSocket.send(#"452-["message",\#(Self.two)]"#)
      try await webSocket.send(binary: [1, 2, 3])
      try await webSocket.send(binary: [4, 5, 6])
      #expect(await webSocket.text() == #"452-["message-back",\#(Self.two)]"#)
      #expect(await webSocket.next() == .binary([1, 2, 3]))
      #expect(await webSocket.next() == .binary([4, 5, 6]))
    }
  }

  @Test("event: an acknowledgement carries the event's number and arguments")
  func acknowledged() async throws {
    try await SuiteServer.with(mode: "socket") { server in
      let webSocket = try await joined(server)
      try await webSocket.send(#"42456["message-with-ack",1,"2",{"3":[false]}]"#)
      #expect(await webSocket.text() == #"43456[1,"2",{"3":[false]}]"#)
    }
  }

  @Test("event: an acknowledgement may have attachments too")
  func binaryAcknowledged() async throws {
    try await SuiteServer.with(mode: "socket") { server in
      let webSocket = try await joined(server)
      try await webSocket.send(#"452-789["message-with-ack",\#(Self.two)]"#)
      try await webSocket.send(binary: [1, 2, 3])
      try await webSocket.send(binary: [4, 5, 6])
      #expect(await webSocket.text() == "462-789[\(Self.two)]")
      #expect(await webSocket.next() == .binary([1, 2, 3]))
      #expect(await webSocket.next() == .binary([4, 5, 6]))
    }
  }

  @Test(
    "event: an unknown type, a payload that is not an array and an invalid number close the connection",
    arguments: ["4abc", "42{}", #"42abc["message-with-ack",1,"2",{"3":[false]}]"#])
  func invalidFormats(packet: String) async throws {
    try await SuiteServer.with(mode: "socket") { server in
      let webSocket = try await joined(server)
      try await webSocket.send(packet)
      #expect(await webSocket.isClosed())
    }
  }

  @Test("Socket.IO 4: the main namespace is joined automatically, over WebSocket and by polling")
  func implicitConnect() async throws {
    try await SuiteServer.with(mode: "socket", revision: .v3) { server in
      let webSocket = try await server.opened()
      #expect(await webSocket.text() == "40")
      #expect(await webSocket.text() == #"42["auth",{}]"#)
      let session = try await server.polling()
      // A waiting GET returns the first packet alone.
      let first = try await server.get(session).text
      guard first != server.payload("40", #"42["auth",{}]"#) else { return }
      #expect(first == server.payload("40"))
      #expect(try await server.get(session).text == server.payload(#"42["auth",{}]"#))
    }
  }

  @Test("Socket.IO 4: a query behind the namespace is its auth, and CONNECT has no payload in either direction")
  func queryAuth() async throws {
    try await SuiteServer.with(mode: "socket", revision: .v3) { server in
      let webSocket = try await server.opened()
      for _ in 0..<2 { _ = await webSocket.text() }
      try await webSocket.send("40/custom?token=a%20b&x=1,")
      #expect(await webSocket.text() == "40/custom,")
      #expect(await webSocket.text() == #"42/custom,["auth",{"token":"a b","x":"1"}]"#)
    }
  }

  @Test("Socket.IO 4: an unknown namespace is an ERROR, and the engine stays")
  func unknownNamespaceOfOldClients() async throws {
    try await SuiteServer.with(mode: "socket", revision: .v3) { server in
      let webSocket = try await server.opened()
      for _ in 0..<2 { _ = await webSocket.text() }
      try await webSocket.send("40/random,")
      #expect(await webSocket.text()?.hasPrefix("44/random,") == true)
      try await webSocket.send(#"42["message",1]"#)
      #expect(await webSocket.text() == #"42["message-back",1]"#)
    }
  }

  @Test("Socket.IO 4: events, acknowledgements and attachments are those of revision 5 after the packet type's byte")
  func eventsOfOldClients() async throws {
    try await SuiteServer.with(mode: "socket", revision: .v3) { server in
      let webSocket = try await server.opened()
      for _ in 0..<2 { _ = await webSocket.text() }
      try await webSocket.send(#"42456["message-with-ack",1,"2",{"3":[false]}]"#)
      #expect(await webSocket.text() == #"43456[1,"2",{"3":[false]}]"#)
      try await webSocket.send(#"451-["message",{"_placeholder":true,"num":0}]"#)
      try await webSocket.send(binary: [4, 1, 2, 3])
      #expect(await webSocket.text() == #"451-["message-back",{"_placeholder":true,"num":0}]"#)
      #expect(await webSocket.next() == .binary([4, 1, 2, 3]))
      try await webSocket.send("41")
      try await webSocket.send("2")
      #expect(await webSocket.text() == "3")
    }
  }
}
