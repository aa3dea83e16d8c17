import SocketIOProtocol
import Testing

@Suite("Server side of a Socket.IO session: POSTs that the upgrade overtook")
struct LatePostsTests {
  private func message(_ text: String) -> EnginePacket { EnginePacket(.message, bytes(text)) }

  /// A session that was just upgraded, with namespaces that it joined before.
  private func session(
    _ conduct: SocketServerSession.Conduct = .strict, _ revision: EngineRevision = .v4, in namespaces: String...
  ) -> SocketServerSession {
    var session = SocketServerSession(.init(conduct: conduct, maxNamespaces: 3), revision: revision)
    if case .connect(let namespace, _) = session.opened() { _ = session.accept(namespace: namespace) }
    for namespace in namespaces {
      _ = session.received(message("0\(namespace),"))
      _ = session.accept(namespace: namespace)
    }
    session.beginLatePosts()
    return session
  }

  @Test(
    "a late CONNECT joins, a late event is delivered, a late DISCONNECT leaves", arguments: [EngineRevision.v3, .v4])
  func late(revision: EngineRevision) {
    var session = session(.strict, revision, in: "/b")
    #expect(session.receivedLate(message("0/a,")) == .connect(namespace: "/a", auth: []))
    #expect(session.accept(namespace: "/a") == true)
    let event = SocketEvent(name: "e", arguments: SocketArguments(), id: nil)
    #expect(session.receivedLate(message(#"2/b,["e"]"#)) == .event(namespace: "/b", event))
    #expect(session.receivedLate(message("1/b,")) == .leave(namespace: "/b", wasJoined: true))
  }

  @Test(
    "a namespace left over the WebSocket is not joined by a late CONNECT",
    arguments: [SocketServerSession.Conduct.strict, .lenient], [EngineRevision.v3, .v4])
  func leftMeanwhile(conduct: SocketServerSession.Conduct, revision: EngineRevision) {
    var session = session(conduct, revision)
    #expect(session.received(message("1/a,")) == .none)
    #expect(session.receivedLate(message("0/a,")) == .none)
    #expect(session.receivedLate(message(#"2/a,["e"]"#)) == .none)
    #expect(session.received(message("0/a,")) == .connect(namespace: "/a", auth: []))
  }

  @Test(
    "a namespace joined again over the WebSocket is not left by a late DISCONNECT",
    arguments: [SocketServerSession.Conduct.strict, .lenient])
  func joinedMeanwhile(conduct: SocketServerSession.Conduct) {
    var session = session(conduct, in: "/a")
    #expect(session.received(message("0/a,")) == .connectAgain(namespace: "/a"))
    #expect(session.receivedLate(message("1/a,")) == .none)
    #expect(session.receivedLate(message("0/a,")) == .none)
    let event = SocketEvent(name: "e", arguments: SocketArguments(), id: nil)
    #expect(session.receivedLate(message(#"2/a,["e"]"#)) == .event(namespace: "/a", event))
  }

  @Test("a join over the WebSocket that is still pending is neither requested again nor left by late packets")
  func pendingMeanwhile() {
    var session = session()
    #expect(session.received(message("0/a,")) == .connect(namespace: "/a", auth: []))
    #expect(session.received(message("0/a,")) == .none)
    #expect(session.receivedLate(message("0/a,")) == .none)
    #expect(session.receivedLate(message("1/a,")) == .none)
    #expect(session.receivedLate(message(#"2/a,["e"]"#)) == .none)
    #expect(session.accept(namespace: "/a") == true)
  }

  @Test("late packets may arrive between a text and its attachments over the WebSocket")
  func interleaved() {
    var session = session(in: "/a")
    let placeholder = #"{"_placeholder":true,"num":0}"#
    #expect(session.received(message(#"51-/a,["w",\#(placeholder)]"#)) == .none)
    #expect(session.receivedLate(message(#"51-/a,["l",\#(placeholder)]"#)) == .none)
    func event(_ name: String, _ attachment: [UInt8]) -> SocketServerSession.Action {
      let arguments = SocketArguments([bytes(placeholder)], attachments: [attachment])
      return .event(namespace: "/a", SocketEvent(name: name, arguments: arguments, id: nil))
    }
    #expect(session.receivedLate(EnginePacket(binary: [1])) == event("l", [1]))
    #expect(session.received(EnginePacket(binary: [2])) == event("w", [2]))
  }

  @Test("attachments of a text from before the upgrade may arrive either way")
  func restOfPacket() {
    for isLate in [true, false] {
      var session = SocketServerSession(.init(), revision: .v4)
      _ = session.received(message("0"))
      _ = session.accept(namespace: "/")
      #expect(session.received(message(#"51-["e",{"_placeholder":true,"num":0}]"#)) == .none)
      session.beginLatePosts()
      let rest = EnginePacket(binary: [1])
      guard case .event(_, let event) = isLate ? session.receivedLate(rest) : session.received(rest) else {
        Issue.record("no event")
        continue
      }
      #expect(event.arguments.attachments == [[1]])
    }
  }

  @Test("names that are too long to be noted are out of place as usual")
  func longNames() {
    var session = session()
    #expect(session.received(message("1/\(String(repeating: "a", count: 300)),")) == .close(.parseError))
  }

  @Test("after the end of late POSTs, packets are out of place as usual")
  func ended() {
    var session = session(in: "/a")
    #expect(session.received(message("1/b,")) == .none)
    session.endLatePosts()
    #expect(session.receivedLate(message("0/c,")) == .none)
    #expect(session.received(message("1/b,")) == .close(.parseError))
  }

  @Test("namespaces left before they were joined are noted up to the limit of namespaces")
  func limit() {
    var session = session()
    for name in ["/a", "/b", "/c"] { #expect(session.received(message("1\(name),")) == .none) }
    #expect(session.received(message("1/d,")) == .close(.parseError))
  }
}
