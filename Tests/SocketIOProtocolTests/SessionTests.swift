import SocketIOProtocol
import Testing

@Suite("Server side of an Engine.IO session")
struct EngineServerSessionTests {
  private func session(
    _ transport: EngineTransport = .polling, _ revision: EngineRevision = .v4
  ) -> EngineServerSession {
    EngineServerSession(
      .init(pingInterval: 300, pingTimeout: 200, upgradeTimeout: 1000), revision: revision, transport: transport, at: 0)
  }

  @Test("the server pings after the interval, and closes if no pong arrives in time")
  func heartbeat() {
    var session = session(.webSocket)
    #expect(session.nextDeadline == 300)
    #expect(session.tick(at: 299) == .none)
    #expect(session.tick(at: 300) == .sendPing)
    #expect(session.tick(at: 499) == .none)
    #expect(session.tick(at: 500) == .close(.pingTimeout))
    #expect(session.isClosed)
    #expect(session.tick(at: 900) == .none)
  }

  @Test("the timeout counts from when the ping was due, unless the server was suspended meanwhile")
  func lateTicks() {
    var session = session(.webSocket)
    #expect(session.tick(at: 420) == .sendPing)
    #expect(session.nextDeadline == 500)
    // Too late for any answer: the client had no chance to answer.
    for time: Milliseconds in [500, 900, 60_000] {
      var stopped = self.session(.webSocket)
      #expect(stopped.tick(at: time) == .sendPing)
      #expect(stopped.nextDeadline == time + 200)
      #expect(stopped.tick(at: time) == .none)
    }
  }

  @Test("a due answer is awaited again if the server was suspended", arguments: [EngineRevision.v3, .v4])
  func stoodStill(revision: EngineRevision) {
    var session = session(.polling, revision)
    if revision == .v4 { #expect(session.tick(at: 300) == .sendPing) }
    #expect(session.nextDeadline == 500)
    #expect(session.tick(at: 8000) == .none)
    #expect(session.nextDeadline == 8200)
    #expect(session.tick(at: 8199) == .none)
    #expect(session.tick(at: 8200) == .close(.pingTimeout))
  }

  @Test("the next ping counts from the pong, even from an unsolicited one")
  func pong() {
    var session = session(.webSocket)
    #expect(session.tick(at: 300) == .sendPing)
    #expect(session.received(EnginePacket(.pong), at: 350) == .none)
    #expect(session.nextDeadline == 650)
    #expect(session.received(EnginePacket(.pong), at: 600) == .none)
    #expect(session.nextDeadline == 900)
  }

  @Test("the server expects pings from an Engine.IO 3 client, and answers them with their data")
  func reversedHeartbeat() {
    var session = session(.webSocket, .v3)
    #expect(session.nextDeadline == 500)
    #expect(session.received(EnginePacket(.ping, bytes("x")), at: 400) == .pong(bytes("x")))
    #expect(session.tick(at: 899) == .none)
    #expect(session.tick(at: 900) == .close(.pingTimeout))
  }

  @Test("a packet in the wrong direction closes")
  func wrongDirection() {
    var new = session(.webSocket)
    #expect(new.received(EnginePacket(.ping), at: 1) == .close(.transportError))
    var old = session(.webSocket, .v3)
    #expect(old.received(EnginePacket(.pong), at: 1) == .close(.transportError))
  }

  @Test("messages are delivered, a close packet closes, other packets are ignored")
  func packets() {
    var session = session(.webSocket)
    #expect(session.received(EnginePacket(.message), at: 1) == .deliver)
    for kind in [EnginePacket.Kind.open, .upgrade, .noop] {
      #expect(session.received(EnginePacket(kind), at: 1) == .none)
    }
    #expect(session.received(EnginePacket(.close), at: 1) == .close(.transportClose))
    #expect(session.received(EnginePacket(.message), at: 1) == .none)
  }

  @Test("a second GET closes the session")
  func overlappingPolls() {
    var session = session()
    #expect(session.pollArrived() == .wait)
    #expect(session.pollArrived() == .overlap)
    #expect(session.pollArrived() == .refuse(.unknownSession))
  }

  @Test("a second concurrent POST closes the session; consecutive ones are allowed")
  func overlappingPosts() {
    var session = session()
    #expect(session.postArrived(at: 1) == .read)
    session.postFinished()
    #expect(session.postArrived(at: 1) == .read)
    #expect(session.postArrived(at: 1) == .overlap)
    #expect(session.isClosed)
  }

  @Test("a lost GET closes the session, unless it was answered")
  func abortedPoll() {
    var session = session()
    #expect(session.pollArrived() == .wait)
    session.pollAnswered()
    #expect(session.pollAborted() == false)
    #expect(session.pollArrived() == .wait)
    #expect(session.pollAborted() == true)
    #expect(session.isClosed)
  }

  @Test("the upgrade packet ends polling; POSTs that it overtook are accepted for a while")
  func upgrade() {
    var session = session()
    #expect(session.pollArrived() == .wait)
    #expect(session.upgradeArrived(at: 10) == true)
    #expect(session.upgradeArrived(at: 11) == false)
    #expect(session.receivedOnUpgrade(EnginePacket(.ping, EnginePacket.probe), at: 12) == .answerProbe)
    session.pollAnswered()
    #expect(session.pollArrived() == .wait)
    session.pollAnswered()
    #expect(session.receivedOnUpgrade(EnginePacket(.upgrade), at: 12) == .complete)
    #expect(session.transport == .webSocket)
    #expect(session.pollArrived() == .refuse(.badRequest))
    #expect(session.upgradeArrived(at: 12) == false)
    #expect(session.postArrived(at: 60) == .read)
    #expect(session.postArrived(at: 61) == .overlap)
  }

  @Test(
    "a POST that was admitted in time is accepted, however long reading it takes", arguments: [50 as Milliseconds, 0])
  func slowLatePost(timeout: Milliseconds) {
    var session = EngineServerSession(
      .init(pingInterval: 3000, pingTimeout: 2000, upgradeTimeout: 1000, latePostTimeout: timeout), revision: .v4,
      transport: .polling, at: 0)
    #expect(session.postArrived(at: 9) == .read)
    #expect(session.upgradeArrived(at: 10) == true)
    #expect(session.receivedOnUpgrade(EnginePacket(.upgrade), at: 12) == .complete)
    #expect(session.takesLatePosts)
    #expect(session.tick(at: 100) == .none)
    #expect(session.nextDeadline == 3000)
    session.postFinished()
    #expect(session.tick(at: 100) == .endLatePosts)
    #expect(!session.takesLatePosts)
  }

  @Test("without time for late POSTs none is accepted")
  func noLatePosts() {
    var session = EngineServerSession(
      .init(pingInterval: 3000, pingTimeout: 2000, upgradeTimeout: 1000, latePostTimeout: 0), revision: .v4,
      transport: .polling, at: 0)
    #expect(session.upgradeArrived(at: 10) == true)
    #expect(session.receivedOnUpgrade(EnginePacket(.upgrade), at: 12) == .complete)
    #expect(!session.takesLatePosts)
    #expect(session.postArrived(at: 12) == .refuse(.badRequest))
  }

  @Test("a POST long after the upgrade is refused, whether or not a tick came before it")
  func latePostsEnd() {
    var session = EngineServerSession(
      .init(pingInterval: 3000, pingTimeout: 2000, upgradeTimeout: 1000, latePostTimeout: 50), revision: .v4,
      transport: .polling, at: 0)
    #expect(session.upgradeArrived(at: 10) == true)
    #expect(session.receivedOnUpgrade(EnginePacket(.upgrade), at: 12) == .complete)
    #expect(session.nextDeadline == 62)
    #expect(session.postArrived(at: 61) == .read)
    session.postFinished()
    #expect(session.postArrived(at: 62) == .refuse(.badRequest))
    #expect(session.tick(at: 62) == .endLatePosts)
    #expect(session.nextDeadline == 3000)
    #expect(session.tick(at: 62) == .none)
  }

  @Test("an upgrade needs no probe")
  func upgradeWithoutProbe() {
    var session = session()
    #expect(session.upgradeArrived(at: 10) == true)
    #expect(session.receivedOnUpgrade(EnginePacket(.upgrade), at: 12) == .complete)
  }

  @Test(
    "any other packet on the new WebSocket ends the upgrade, not the session",
    arguments: [EnginePacket(.message, bytes("x")), EnginePacket(.ping), EnginePacket(binary: [1])])
  func spoiledUpgrade(packet: EnginePacket) {
    var session = session()
    #expect(session.upgradeArrived(at: 10) == true)
    #expect(session.receivedOnUpgrade(packet, at: 12) == .abandon)
    #expect(session.pollArrived() == .wait)
    #expect(session.upgradeArrived(at: 11) == true)
  }

  @Test("an upgrade that takes too long is abandoned")
  func upgradeTimeout() {
    var session = EngineServerSession(
      .init(pingInterval: 3000, pingTimeout: 2000, upgradeTimeout: 1000), revision: .v4, transport: .polling, at: 0)
    #expect(session.upgradeArrived(at: 10) == true)
    #expect(session.nextDeadline == 1010)
    #expect(session.tick(at: 1010) == .abandonUpgrade)
    #expect(session.nextDeadline == 3000)
  }

  @Test("an upgrade whose packet waits while the server is suspended continues")
  func upgradeWhileStopped() {
    var session = EngineServerSession(
      .init(pingInterval: 90_000, pingTimeout: 2000, upgradeTimeout: 1000), revision: .v4, transport: .polling, at: 0)
    #expect(session.upgradeArrived(at: 10) == true)
    #expect(session.receivedOnUpgrade(EnginePacket(.ping, EnginePacket.probe), at: 20) == .answerProbe)
    #expect(session.tick(at: 9000) == .none)
    #expect(session.nextDeadline == 10_000)
    #expect(session.receivedOnUpgrade(EnginePacket(.upgrade), at: 9000) == .complete)
  }
}

@Suite("Server side of a Socket.IO session")
struct SocketServerSessionTests {
  private func session(
    _ conduct: SocketServerSession.Conduct = .strict, _ revision: EngineRevision = .v4, maxNamespaces: Int = 3
  ) -> SocketServerSession {
    SocketServerSession(.init(conduct: conduct, maxNamespaces: maxNamespaces), revision: revision)
  }

  private func message(_ text: String) -> EnginePacket { EnginePacket(.message, bytes(text)) }

  @Test("a client joins, sends, and leaves")
  func life() throws {
    var session = session()
    #expect(session.opened() == .none)
    #expect(session.received(message(#"0/a,{"t":1}"#)) == .connect(namespace: "/a", auth: bytes(#"{"t":1}"#)))
    #expect(session.accept(namespace: "/a") == true)
    #expect(session.accept(namespace: "/a") == false)
    let event = SocketEvent(name: "e", arguments: SocketArguments([bytes("1")]), id: AckID(4))
    #expect(session.received(message(#"2/a,4["e",1]"#)) == .event(namespace: "/a", event))
    #expect(session.received(message("3/a,9[2]")) == .ack(namespace: "/a", AckID(9), SocketArguments([bytes("2")])))
    #expect(session.received(message("1/a,")) == .leave(namespace: "/a", wasJoined: true))
    #expect(session.isIdle)
    #expect(session.received(message("0/a,")) == .connect(namespace: "/a", auth: []))
  }

  @Test(
    "before CONNECT every packet closes, even at a lenient server",
    arguments: [#"2["a"]"#, "1", "3[]", "4{}", #"51-["a",{"_placeholder":true,"num":0}]"#])
  func beforeConnect(text: String) {
    for conduct in [SocketServerSession.Conduct.strict, .lenient] {
      var session = session(conduct)
      var action = session.received(message(text))
      if action == .none { action = session.received(EnginePacket(binary: [1])) }
      #expect(action == .close(.parseError))
    }
  }

  @Test("only an object is an auth payload", arguments: ["[]", #""a""#, "null", "true", "{"])
  func authPayloads(payload: String) {
    var session = session()
    #expect(session.received(message("0\(payload)")) == .close(.parseError))
  }

  @Test("a packet out of place closes a strict session, but not a lenient one")
  func conduct() {
    for text in [#"2/b,["a"]"#, "1/b,", #"2/a,["connect"]"#, "2/a,{}", "0/a,"] {
      var strict = session(.strict)
      var lenient = session(.lenient)
      _ = strict.received(message("0/a,"))
      _ = lenient.received(message("0/a,"))
      #expect(strict.accept(namespace: "/a") == true)
      #expect(lenient.accept(namespace: "/a") == true)
      #expect(strict.received(message(text)) == .close(.parseError))
      #expect(lenient.received(message(text)) == (text == "0/a," ? .connectAgain(namespace: "/a") : .none))
      #expect(!lenient.isIdle)
    }
  }

  @Test("a client that left while its request was pending cannot be accepted")
  func leftWhilePending() {
    var session = session()
    _ = session.received(message("0/a,"))
    #expect(session.received(message("1/a,")) == .leave(namespace: "/a", wasJoined: false))
    #expect(session.accept(namespace: "/a") == false)
    #expect(session.refuse(namespace: "/a") == false)
  }

  @Test("the number of namespaces is limited")
  func namespaceLimit() {
    var session = session(maxNamespaces: 1)
    _ = session.received(message("0/a,"))
    #expect(session.received(message("0/b,")) == .refuse(namespace: "/b", message: "Too many namespaces"))
  }

  @Test("an event without payload is ignored; an ack without an array closes")
  func oddPayloads() {
    var session = session()
    _ = session.received(message("0"))
    #expect(session.accept(namespace: "/") == true)
    #expect(session.received(message("2")) == .none)
    #expect(session.received(message("31{}")) == .close(.parseError))
  }

  @Test("an Engine.IO 3 client is in the main namespace, and its query is its auth")
  func revision3() {
    var session = session(.strict, .v3)
    #expect(session.opened() == .connect(namespace: "/", auth: []))
    #expect(
      session.received(message("0/a?t=1&u=%20b,")) == .connect(namespace: "/a", auth: bytes(#"{"t":"1","u":" b"}"#)))
  }

  @Test("an Engine.IO 4 client's query stays part of the namespace")
  func queryInNamespace() {
    var session = session()
    #expect(session.received(message("0/a?x=1,")) == .connect(namespace: "/a?x=1", auth: []))
  }
}

@Suite("Client and server sessions together")
struct ClientSessionTests {
  private let open = EngineOpen(
    sid: "s", upgrades: ["websocket"], pingInterval: 300, pingTimeout: 200, maxPayload: 1000)

  @Test("a client opens, answers pings and notices missing pings")
  func heartbeat() {
    var client = EngineClientSession(transport: .webSocket)
    #expect(client.received(open.packet, at: 0) == .opened(open))
    #expect(client.received(EnginePacket(.ping), at: 300) == .send(EnginePacket(.pong)))
    #expect(client.tick(at: 799) == .none)
    #expect(client.tick(at: 800) == .close(.pingTimeout))
  }

  @Test("an Engine.IO 3 client sends pings")
  func reversedHeartbeat() {
    var client = EngineClientSession(revision: .v3, transport: .webSocket)
    _ = client.received(open.packet, at: 0)
    #expect(client.tick(at: 300) == .send(EnginePacket(.ping)))
    #expect(client.received(EnginePacket(.pong), at: 310) == .none)
    #expect(client.tick(at: 610) == .send(EnginePacket(.ping)))
    #expect(client.tick(at: 810) == .close(.pingTimeout))
  }

  @Test("a client that was suspended during its ping waits for the answer from the time it pings")
  func sleptThroughPing() {
    var client = EngineClientSession(revision: .v3, transport: .polling)
    _ = client.received(
      EngineOpen(sid: "a", upgrades: [], pingInterval: 300, pingTimeout: 200, maxPayload: nil).packet, at: 0)
    #expect(client.tick(at: 60_000) == .send(EnginePacket(.ping)))
    #expect(client.nextDeadline == 60_200)
  }

  @Test("times that would overflow are clamped", arguments: [EngineRevision.v3, .v4])
  func endlessTimes(revision: EngineRevision) {
    let open = EngineOpen(sid: "a", upgrades: [], pingInterval: .max, pingTimeout: .max, maxPayload: nil)
    var client = EngineClientSession(revision: revision, transport: .polling)
    guard case .opened(let read) = client.received(open.packet, at: 1 << 50) else {
      Issue.record("not opened")
      return
    }
    #expect(read.pingInterval < 1 << 41)
    #expect(client.nextDeadline > 1 << 50 && client.nextDeadline < .max)
    _ = client.tick(at: (1 << 50) + (1 << 42))
  }

  @Test("any packet before the open packet closes")
  func beforeOpen() {
    var client = EngineClientSession(transport: .polling)
    #expect(client.received(EnginePacket(.message), at: 0) == .close(.parseError))
  }

  @Test("client and server upgrade with each other")
  func upgrade() throws {
    var client = EngineClientSession(transport: .polling)
    var server = EngineServerSession(
      .init(pingInterval: 300, pingTimeout: 200, upgradeTimeout: 100), revision: .v4, transport: .polling, at: 0)
    _ = client.received(open.packet, at: 0)
    #expect(client.mayUpgrade)
    #expect(server.pollArrived() == .wait)
    #expect(server.upgradeArrived(at: 1) == true)
    let opened = client.upgradeOpened()
    let probe = try #require(opened)
    #expect(server.receivedOnUpgrade(probe, at: 2) == .answerProbe)
    let early = client.pollReturned()
    #expect(early == nil)
    #expect(client.receivedOnUpgrade(EnginePacket(.pong, EnginePacket.probe)) == .pause)
    server.pollAnswered()
    let returned = client.pollReturned()
    let last = try #require(returned)
    #expect(server.receivedOnUpgrade(last, at: 3) == .complete)
    #expect(client.transport == .webSocket && server.transport == .webSocket)
    #expect(!client.mayUpgrade)
  }

  @Test("client and server speak Socket.IO with each other")
  func socketIO() throws {
    var client = SocketClientSession()
    var server = SocketServerSession(.init(), revision: .v4)
    let asked = client.connect("/a", auth: bytes(#"{"k":1}"#))
    let connect = try #require(asked)
    let askedTwice = client.connect("/a")
    #expect(askedTwice == nil)
    #expect(server.received(connect.messages()[0]) == .connect(namespace: "/a", auth: bytes(#"{"k":1}"#)))
    #expect(server.accept(namespace: "/a") == true)
    let accepted = SocketPacket(.connect, namespace: "/a", payload: bytes(#"{"sid":"x"}"#))
    #expect(client.received(accepted.messages()[0]) == .connected(namespace: "/a", sid: "x", pid: nil))
    let event = SocketPacket.event(
      "e", arguments: bytes(#"{"_placeholder":true,"num":0}"#), namespace: "/a", id: AckID(0),
      attachments: [[5]])
    #expect(server.received(event.messages()[0]) == .none)
    let arguments = SocketArguments([bytes(#"{"_placeholder":true,"num":0}"#)], attachments: [[5]])
    #expect(
      server.received(event.messages()[1])
        == .event(namespace: "/a", SocketEvent(name: "e", arguments: arguments, id: AckID(0))))
    let ack = SocketPacket.ack(AckID(0), arguments: bytes("1"), namespace: "/a")
    #expect(client.received(ack.messages()[0]) == .ack(namespace: "/a", AckID(0), SocketArguments([bytes("1")])))
    #expect(client.received(SocketPacket(.disconnect, namespace: "/a").messages()[0]) == .disconnected(namespace: "/a"))
    #expect(!client.isJoined("/a"))
  }

  @Test("a refusal reaches the client with its error")
  func refusal() {
    var client = SocketClientSession()
    let asked = client.connect("/a")
    #expect(asked != nil)
    let error = bytes(#"{"message":"no"}"#)
    let packet = SocketPacket(.connectError, namespace: "/a", payload: error)
    #expect(client.received(packet.messages()[0]) == .refused(namespace: "/a", error: error))
    let askedAgain = client.connect("/a")
    #expect(askedAgain != nil)
  }
}
