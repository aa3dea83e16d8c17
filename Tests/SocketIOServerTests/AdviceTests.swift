import Logging
import SocketIOProtocol
import SocketIOSupport
import Synchronization
import Testing

@testable import SocketIOServer

@Suite("Log lines about failing clients", .timeLimit(.minutes(5)))
struct AdviceTests {
  @Test("a client of another revision: its revision, its program, and the cure")
  func revision() async throws {
    let log = LogRecorder()
    try await TestServer.with(.changed { $0.allowEIO3 = false }, logger: log.logger) { server in
      let agent = [("User-Agent", "Swift/15.2")]
      _ = try await server.wire().request("GET", "/socket.io/?transport=polling", headers: agent)
      _ = try await RawWebSocket.open(server.port, "/socket.io/?EIO=3&transport=websocket", headers: agent)
      #expect(log.lines.count == 2)
      for (line, eio) in zip(log.lines, ["absent", "3"]) {
        #expect(line.contains("uses Engine.IO 3") && line.contains("set allowEIO3"))
        #expect(line.contains("agent=Swift/15.2") && line.contains("eio=\(eio)"))
      }
    }
  }

  @Test("a WebSocket request whose Upgrade header a proxy has dropped")
  func upgrade() async throws {
    let log = LogRecorder()
    try await TestServer.with(logger: log.logger) { server in
      _ = try await server.wire().request("GET", "/socket.io/?EIO=4&transport=websocket")
      #expect(log.lines.first?.contains("Let the proxy in front of the server pass on Upgrade") == true)
    }
  }

  @Test("a session without a namespace: how long the server waited")
  func connectTimeout() async throws {
    let log = LogRecorder()
    try await TestServer.with(.changed { $0.connectTimeout = .milliseconds(50) }, logger: log.logger) { server in
      let webSocket = try await server.webSocket()
      _ = await webSocket.text()
      #expect(await webSocket.next() == .close(nil))
      #expect(log.lines.first?.contains("no namespace was joined in 0.05 seconds") == true)
    }
  }

  @Test("an unknown namespace: the declared ones; with a query in its name: where that belongs")
  func namespaces() async throws {
    let log = LogRecorder()
    try await TestServer.with(logger: log.logger) { server in
      let client = try await EngineClient(server, .webSocket)
      try await client.join("/nope")
      try await client.join("/silent?token=secret")
      #expect(log.lines.first?.contains("/nope refused: declared are / and /open…, /guarded, /silent") == true)
      #expect(log.lines.last?.contains("cannot put a query behind /silent; send it as auth payload") == true)
      try await client.join("/nope?token=secret")
      #expect(log.lines.count == 3 && !log.lines.contains { $0.contains("secret") })
    }
  }

  @Test("a client's text is logged shortened and on one line")
  func hostileText() async throws {
    let log = LogRecorder()
    try await TestServer.with(logger: log.logger) { server in
      let agent = [("User-Agent", String(repeating: "a", count: 5000))]
      _ = try await server.wire().request(
        "GET", "/socket.io/?transport=polling&EIO=9%0Aforged%E2%80%A8", headers: agent)
      let client = try await EngineClient(server, .webSocket)
      try await client.join("/" + String(repeating: "n", count: 100_000) + "\nforged")
      #expect(log.lines.count == 2)
      for line in log.lines { #expect(line.utf8.count < 1000 && !line.contains(where: \.isNewline)) }
      #expect(log.lines.first?.contains(#"not support Engine.IO 9\u{a}forged\u{2028}"#) == true)
    }
  }

  @Test("the number of log lines per minute that clients cause is limited")
  func budget() async throws {
    let log = LogRecorder()
    try await TestServer.with(.changed { $0.maxLogLinesPerMinute = 3 }, logger: log.logger) { server in
      let client = try await EngineClient(server, .webSocket)
      for number in 0..<20 { try await client.join("/nope-\(number)") }
      #expect(log.lines.count == 3)
    }
    let budget = LogBudget(limit: 1)
    #expect(budget.take(at: 0) == 0)
    #expect(budget.take(at: 59_999) == nil)
    #expect(budget.take(at: 60_000) == 1)
  }

  @Test(
    "a request outside of the path: the namespace in the URL, an additional slash, the wrong path",
    arguments: [
      ("/silent/socket.io/?EIO=4&transport=polling", "a namespace is not part of the URL"),
      ("//socket.io/?EIO=4&transport=polling", "an extra slash"),
      ("/ws/?transport=websocket", "set the client's path, or let the proxy rewrite it"),
      ("/other?transport=bus", nil), ("/other", nil),
    ] as [(String, String?)])
  func paths(target: String, advice: String?) async throws {
    let log = LogRecorder()
    try await TestServer.with(logger: log.logger) { server in
      _ = try await server.wire().request("GET", target)
      #expect(log.lines.count == (advice == nil ? 0 : 1))
      if let advice { #expect(log.lines.first?.contains(advice) == true) }
    }
  }
}
