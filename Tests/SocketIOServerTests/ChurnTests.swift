import Foundation
import Fuzzing
import SocketIOProtocol
import SocketIOSupport
import Testing

/// Clients that connect and leave. `Scripts/churn` runs it with a thousand clients for a minute.
@Suite("Clients that connect and leave", .timeLimit(.minutes(10)))
struct ChurnTests {
  private static func setting(_ name: String, _ standard: Int) -> Int {
    ProcessInfo.processInfo.environment["SOCKETIO_CHURN_\(name)"].flatMap { Int($0) } ?? standard
  }

  private static let clients = setting("CLIENTS", 100)
  private static let duration = Duration.seconds(setting("SECONDS", 5))
  private static let seed = UInt64(setting("SEED", 20_261_121))

  @Test("clients that connect, upgrade, join, leave and abort at any step leave no session, room or descriptor behind")
  func nothingStays() async throws {
    let times = ["--ping-interval", "1000", "--ping-timeout", "1000", "--connect-timeout", "2000"]
    try await EchoProcess.with(["--mode", "rig", "--eio3"] + times) { process in
      try await process.stats { $0.sessions == 0 }
      let descriptors = process.descriptors
      let end = ContinuousClock.now + Self.duration
      let visits = await withTaskGroup(of: Int.self) { group in
        for number in 0..<Self.clients {
          group.addTask {
            var generator = SeededGenerator(state: Self.seed &+ UInt64(number))
            var visits = 0
            // At least once, also if the task begins late.
            repeat {
              let visit = Visit(port: process.port, &generator)
              _ = await within(.seconds(15)) { try await visit.run() }
              visits += 1
            } while ContinuousClock.now < end
            return visits
          }
        }
        return await group.reduce(0, +)
      }
      #expect(visits >= Self.clients)
      let left = try await process.stats { $0 == .init(sessions: 0, sockets: 0, namespaces: 0) }
      #expect(left == .init(sessions: 0, sockets: 0, namespaces: 0))
      // The connections of gone clients end at once, or with the close timeout.
      let deadline = ContinuousClock.now + .seconds(30)
      while (process.descriptors ?? 0) > (descriptors ?? 0), ContinuousClock.now < deadline {
        try await process.stats { _ in true }
        try await Task.sleep(for: .milliseconds(100))
      }
      #expect((process.descriptors ?? 0) <= (descriptors ?? 0))
      print(
        "\(Self.clients) clients made \(visits) visits in \(Self.duration); descriptors \(descriptors ?? 0) before, \(process.descriptors ?? 0) after"
      )
    }
  }
}

/// One visit of a client, decided in advance.
private struct Visit: Sendable {
  private enum End: CaseIterable {
    case closePacket, closeFrame, abort, disconnect, byeAll, abandonedPoll, abandonedProbe, halfPost, halfHead
    case halfHandshake, silence, overlap, garbage
  }

  let port: Int
  private let carrier: Carrier
  private let namespaces: [String]
  private let rooms: [String]
  private let end: End

  init(port: Int, _ generator: inout SeededGenerator) {
    self.port = port
    carrier = Carrier.allCases.randomElement(using: &generator) ?? .polling
    let names = ["/", "/bench", "/ws-channel-a", "/ws-channel-b", "/nope"]
    namespaces = Array(names.shuffled(using: &generator).prefix(.random(in: 0...3, using: &generator)))
    rooms = (0..<Int.random(in: 0...3, using: &generator)).map { _ in "r\(Int.random(in: 0..<20))" }
    end = End.allCases.randomElement(using: &generator) ?? .abort
  }

  /// The server may close at any of these steps; only the leftovers matter.
  func run() async throws {
    switch end {
    case .halfHead: return try await send("GET /socket.io/?EIO=4&transp")
    case .halfHandshake:
      return try await send(
        "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upg")
    default: break
    }
    let client = try await EngineClient(port: port, carrier)
    let polling = "/socket.io/?EIO=4&transport=polling&sid=\(await client.sid)"
    do {
      for namespace in namespaces { try await client.join(namespace) }
      if let namespace = namespaces.first, namespace != "/nope" {
        for room in rooms {
          try await client.send(#"42\#(namespace == "/" ? "" : "\(namespace),")["join","\#(room)"]"#)
        }
        if let room = rooms.first {
          let prefix = namespace == "/" ? "" : "\(namespace),"
          try await client.send(#"42\#(prefix)["to-room","\#(room)","said",1]"#)
          try await client.send(#"42\#(prefix)["leave","\#(room)"]"#)
        }
      }
      try await leave(client, polling)
    } catch {}
    await client.abort()
  }

  private func leave(_ client: EngineClient, _ polling: String) async throws {
    switch end {
    case .closePacket: try await client.send("1")
    case .closeFrame: try await client.webSocket?.sendFrame(0x88, [3, 0xe8])
    case .disconnect: try await client.send("41")
    case .byeAll: try await client.send(#"42["bye-all"]"#)
    case .abandonedPoll: try await send("GET \(polling) HTTP/1.1\r\nHost: a\r\n\r\n")
    case .abandonedProbe:
      let webSocket = try await RawWebSocket.open(port, polling.replacing("=polling", with: "=websocket"))
      try await webSocket.send("2probe")
      webSocket.wire.abort()
    case .halfPost: try await send("POST \(polling) HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n42")
    case .overlap:
      async let first: Void = send("GET \(polling) HTTP/1.1\r\nHost: a\r\n\r\n")
      async let second: Void = send("GET \(polling) HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = try await (first, second)
    case .garbage: try await client.send("\u{0}garbage", "b!")
    case .abort, .silence, .halfHead, .halfHandshake: break
    }
  }

  /// Sends over a separate connection and cuts it.
  private func send(_ text: String) async throws {
    let wire = try await Wire.connect(port)
    try await wire.send(Array(text.utf8))
    wire.abort()
  }
}
