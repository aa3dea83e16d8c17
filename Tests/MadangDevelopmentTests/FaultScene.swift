import Foundation
import MadangAPI
import MadangCore
import MadangDevelopment
import MadangOperations
import MadangServer
import NIOHTTP1
import SocketIOSupport
import Support
import Synchronization
import Testing

/// A server with a kit, and a person with a channel.
struct FaultScene: Sendable {
  let world: Support.World
  let kit: TestKit
  let mina: TestPerson
  /// The workspace's path.
  let workspace: String
  /// The channel's path.
  let room: String

  static func run(
    _ engine: TestEngine = .sqlite, pings: (interval: Int, timeout: Int)? = nil, waits: Waits = Waits(),
    publicURL: String? = nil,
    _ body: @escaping @Sendable (FaultScene) async throws -> Void
  ) async throws {
    var settings = Support.World.settings(\.callLimits.requests, 0)
    if let pings { (settings.sockets.pingInterval, settings.sockets.pingTimeout) = (pings.interval, pings.timeout) }
    if let publicURL { settings.publicURL = publicURL }
    let made = Mutex<TestKit?>(nil)
    try await Support.World.run(engine, settings: settings) { clock in
      let kit = TestKit(clock: clock, waits: waits)
      made.withLock { $0 = kit }
      return kit
    } _: { world in
      let held = made.withLock { $0 }
      let kit = try #require(held)
      let mina = try await world.signUp("Mina")
      let workspace = try await mina.workspace()
      let room = try await mina.channel("ios", in: workspace)
      try await body(FaultScene(world: world, kit: kit, mina: mina, workspace: workspace, room: room))
    }
  }

  var port: Int { get throws { try #require(URL(string: world.url)?.port) } }

  var roomID: String { String(room.split(separator: "/").last ?? "") }
  var namespace: String { RoomNamespace(.channel, roomID).name }

  /// The chats in the channel now.
  func contents() async throws -> [String] {
    try await mina.get("\(room)/chats").list?.compactMap { $0["content"]?.string } ?? []
  }

  /// The next chat is stored and told at once, and answered 10 s later.
  func answerNextPostLate() async throws {
    try await kit.faults.add(
      FaultRule(
        FaultEffect(.latency) { ($0.milliseconds, $0.after) = (10_000, true) },
        match: FaultMatch { ($0.operation, $0.nth) = ("postToChannel", 1) }))
  }

  /// Ends all connections, and an outage that lasts.
  func restart() async {
    await kit.outage.restart(downFor: .zero)
    // A connection of the test's own client may find out only at its next call that it has ended.
    await until { (try? await journal()) != nil }
  }

  func applied(_ id: Int) -> Int? { kit.faults.reports.first { $0.id == id }?.applied }
}

/// An answer, byte by byte.
struct RawAnswer: Sendable {
  /// Nothing if there was none.
  let bytes: [UInt8]
  /// Whether the connection ended with a reset.
  let wasReset: Bool

  /// The status line and header fields, without the date.
  var head: [String] {
    String(decoding: bytes.prefix(end), as: UTF8.self).split(separator: "\r\n").map(String.init).filter {
      !$0.lowercased().hasPrefix("date:")
    }
  }
  var body: [UInt8] { Array(bytes.dropFirst(end + 4)) }
  var text: String { String(decoding: body, as: UTF8.self) }
  var status: Int? { head.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } }

  func header(_ name: String) -> String? {
    head.first { $0.lowercased().hasPrefix("\(name.lowercased()):") }
      .map { $0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces) }
  }

  private var end: Int { bytes.firstRange(of: Array("\r\n\r\n".utf8))?.lowerBound ?? bytes.count }
}

extension FaultScene {
  /// Makes a call as Mina over a connection of its own, and reads until it ends.
  func call(_ method: HTTPMethod, _ path: String, json: String? = nil) async throws -> RawAnswer {
    let wire = try await sent(method, path, json: json)
    let bytes = await wire.readToEnd()
    return RawAnswer(bytes: bytes, wasReset: await wire.wasReset)
  }

  /// The connection on which a call was made.
  func sent(_ method: HTTPMethod, _ path: String, json: String? = nil) async throws -> Wire {
    let wire = try await Wire.connect(port)
    var headers = [
      (HeaderName.apiKey, DevelopmentKey.october2024), (HeaderName.authorization, mina.token), ("Connection", "close"),
    ]
    if json != nil { headers.append(("Content-Type", "application/json")) }
    // A server that ends the connection does not read everything: what the test then reads tells.
    try? await wire.sendRequest(
      method.rawValue, path.hasPrefix("/") ? path : "/v1/\(path)", headers: headers, body: json.map { Array($0.utf8) })
    return wire
  }

  func post(_ content: String) async throws -> RawAnswer {
    try await call(.POST, "\(room)/chats", json: #"{"content":"\#(content)"}"#)
  }
}
