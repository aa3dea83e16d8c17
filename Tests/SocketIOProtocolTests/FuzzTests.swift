import Fuzzing
import SocketIOProtocol
import Testing

/// Seeded fuzzing of all decoders and of whole sessions; `Scripts/fuzz` runs it for longer.
@Suite("Fuzzing of decoders", .timeLimit(.minutes(60)))
struct FuzzTests {
  /// Runs a layer, and checks that memory does not grow with the number of inputs.
  private func run(
    _ folder: String, _ body: (_ number: Int, _ input: [UInt8], _ generator: inout SeededGenerator) throws -> Void
  ) throws {
    let fuzzer = try Fuzzer(folder)
    var before = peakMemory()
    try fuzzer.run { number, input, generator in
      try body(number, input, &generator)
      // By now all one-time allocations are done.
      if number == 1000 { before = peakMemory() }
    }
    if Fuzzer.isLong { #expect(peakMemory() - before < Fuzzer.maxGrowth) }
  }

  @Test("Engine.IO packets: decoded packets can be encoded and decoded again")
  func enginePackets() throws {
    try run("engine-packets") { number, input, _ in
      for revision in [EngineRevision.v3, .v4] {
        if let packet = try? EnginePacket(text: input[...], revision) {
          let again = try EnginePacket(text: packet.encodedText(revision)[...], revision)
          #expect(again == packet, "input \(number)")
        }
        if let packet = try? EnginePacket(frame: .binary(input), revision) {
          let again = try EnginePacket(frame: EngineFrame(packet, revision), revision)
          #expect(again == packet, "input \(number)")
        }
      }
      if let open = try? EngineOpen(data: input.dropFirst().map { $0 }) {
        let again = try EngineOpen(data: open.packet.data)
        #expect(again == open, "input \(number)")
      }
    }
  }

  @Test("polling payloads of every form: decoded packets can be encoded and decoded again")
  func payloads() throws {
    try run("payloads") { number, input, _ in
      if let packets = try? EnginePayload.decodeBinary(input) {
        let again = try EnginePayload.decodeBinary(EnginePayload.encodeBinary(packets))
        #expect(again == packets, "input \(number)")
      }
      for revision in [EngineRevision.v3, .v4] {
        guard let packets = try? EnginePayload.decode(input, revision) else { continue }
        let again = try EnginePayload.decode(EnginePayload.encode(packets, revision), revision)
        #expect(again == packets, "input \(number)")
      }
    }
  }

  @Test("Socket.IO packets with attachments: decoded packets can be encoded and decoded again")
  func socketPackets() throws {
    try run("socket-packets") { number, input, _ in
      guard let packet = Self.read(input), String(validating: input, as: UTF8.self) != nil else { return }
      _ = SocketEvent(packet)
      _ = SocketArguments(ack: packet)
      #expect(packet.attachments.count <= 400, "input \(number)")
      guard packet.attachments.count <= 10 else { return }
      var again = SocketPacketReader(maxAttachments: 10)
      var reread = try again.received(text: packet.encodedText)
      for attachment in packet.attachments { reread = try again.received(binary: attachment) }
      #expect(reread == packet, "input \(number)")
    }
  }

  @Test(
    "MessagePack packets: decoded packets can be encoded and decoded again, and are at most six times as long as JSON")
  func messagePack() throws {
    try run("msgpack") { number, input, _ in
      var reader = SocketPacketReader(parser: .msgpack, maxAttachments: 10)
      guard let packet = try? reader.received(EnginePacket(binary: input)) else { return }
      _ = SocketEvent(packet)
      _ = SocketArguments(ack: packet)
      #expect(packet.payload.isEmpty || JSONScanner.isValue(packet.payload), "input \(number)")
      #expect(packet.payload.count <= 6 * input.count + 10 * 40, "input \(number)")
      guard packet.attachments.count <= 10 else { return }
      let again = try reader.received(packet.messages(.msgpack)[0])
      #expect(again == packet, "input \(number)")
    }
  }

  private static func read(_ text: [UInt8]) -> SocketPacket? {
    var reader = SocketPacketReader(maxAttachments: 10)
    if let packet = try? reader.received(text: text) { return packet }
    for number in UInt8(0)..<10 {
      guard let packet = try? reader.received(binary: [number]) else { continue }
      return packet
    }
    return nil
  }

  @Test("JSON: elements and members are valid values, and so is their container")
  func json() throws {
    try run("json") { number, input, _ in
      let isValue = JSONScanner.isValue(input)
      if let elements = JSONScanner.elements(ofArray: input) {
        #expect(isValue && elements.allSatisfy { JSONScanner.isValue(Array(input[$0])) }, "input \(number)")
      }
      if let members = JSONScanner.members(ofObject: input) {
        #expect(isValue && members.allSatisfy { JSONScanner.isValue(Array(input[$0.value])) }, "input \(number)")
      }
      if let string = JSONText.string(input[...]), isValue {
        #expect(JSONText.string(JSONText.quotedBytes(string)[...]) == string, "input \(number)")
      }
      _ = JSONText.integer(input[...])
    }
  }

  /// A parser, and the folder of its packets.
  static let parsers: [(SocketParser, String)] = [(.json, "socket-packets"), (.msgpack, "msgpack")]

  @Test("whole server sessions: any packets at any time; a closed session stays closed", arguments: parsers)
  func serverSessions(parser: SocketParser, folder: String) throws {
    var session = ServerSide(.v4, parser)
    try run(folder) { number, input, generator in
      if number % 40 == 0 { session = ServerSide(.random(using: &generator) ? .v4 : .v3, parser) }
      session.step(input, &generator)
      #expect(session.isConsistent, "input \(number)")
    }
  }

  @Test("whole client sessions: any packets at any time; a closed session stays closed", arguments: parsers)
  func clientSessions(parser: SocketParser, folder: String) throws {
    var session = ClientSide(.v4, parser)
    try run(folder) { number, input, generator in
      if number % 40 == 0 { session = ClientSide(.random(using: &generator) ? .v4 : .v3, parser) }
      session.step(input, &generator)
      #expect(session.isConsistent, "input \(number)")
    }
  }
}

/// A server's session, driven by random events.
private struct ServerSide {
  private var engine: EngineServerSession
  private var socketIO: SocketServerSession
  private var now: Milliseconds = 0
  private var wasClosed = false
  private(set) var isConsistent = true
  private let parser: SocketParser

  init(_ revision: EngineRevision, _ parser: SocketParser) {
    self.parser = parser
    engine = EngineServerSession(
      .init(pingInterval: 100, pingTimeout: 100, upgradeTimeout: 100), revision: revision, transport: .polling, at: 0)
    socketIO = SocketServerSession(.init(conduct: .lenient, parser: parser, maxNamespaces: 5), revision: revision)
    _ = socketIO.opened()
  }

  mutating func step(_ input: [UInt8], _ generator: inout SeededGenerator) {
    wasClosed = engine.isClosed
    now += .random(in: 0..<20, using: &generator)
    let kinds: [EnginePacket.Kind] = [.message, .message, .message, .message, .pong, .ping, .upgrade, .noop, .close]
    let isUsual = Int.random(in: 0..<8, using: &generator) != 0
    let packet =
      isUsual == (parser == .msgpack)
      ? EnginePacket(binary: input) : EnginePacket(kinds.randomElement(using: &generator) ?? .message, input)
    switch Int.random(in: 0..<12, using: &generator) {
    case 0: _ = engine.pollArrived()
    case 1: engine.pollAnswered()
    case 2 where Int.random(in: 0..<8, using: &generator) == 0: _ = engine.pollAborted()
    case 3:
      guard case .read = engine.postArrived(at: now) else { break }
      receive(packet, isLate: engine.transport == .webSocket)
      engine.postFinished()
    case 4: _ = engine.upgradeArrived(at: now)
    case 5:
      let probe = EnginePacket(.ping, EnginePacket.probe)
      let isComplete = engine.receivedOnUpgrade(.random(using: &generator) ? probe : packet, at: now) == .complete
      if isComplete, engine.takesLatePosts { socketIO.beginLatePosts() }
    case 6:
      let action = engine.tick(at: now)
      if action == .endLatePosts { socketIO.endLatePosts() }
      if action == .sendPing, wasClosed { isConsistent = false }
    default: receive(packet)
    }
    if wasClosed, !engine.isClosed { isConsistent = false }
  }

  private mutating func receive(_ packet: EnginePacket, isLate: Bool = false) {
    guard case .deliver = engine.received(packet, at: now) else { return }
    if wasClosed { isConsistent = false }
    switch isLate ? socketIO.receivedLate(packet) : socketIO.received(packet) {
    case .connect(let namespace, let auth):
      if !auth.isEmpty, !JSONScanner.isValue(auth) { isConsistent = false }
      _ = auth.count % 3 == 0 ? socketIO.refuse(namespace: namespace) : socketIO.accept(namespace: namespace)
    case .event(_, let event):
      if !event.arguments.values.allSatisfy(JSONScanner.isValue) { isConsistent = false }
    case .close: engine.close()
    default: break
    }
  }
}

/// A client's session, driven by random events.
private struct ClientSide {
  private var engine: EngineClientSession
  private var socketIO: SocketClientSession
  private var now: Milliseconds = 0
  private(set) var isConsistent = true

  init(_ revision: EngineRevision, _ parser: SocketParser) {
    engine = EngineClientSession(revision: revision, transport: .polling)
    socketIO = SocketClientSession(revision: revision, parser: parser)
    for namespace in ["/", "/a", "/x"] { _ = socketIO.connect(namespace) }
  }

  private static let open = EngineOpen(
    sid: "s", upgrades: ["websocket"], pingInterval: 100, pingTimeout: 100, maxPayload: nil
  ).packet

  mutating func step(_ input: [UInt8], _ generator: inout SeededGenerator) {
    let wasClosed = engine.isClosed
    now += .random(in: 0..<20, using: &generator)
    switch Int.random(in: 0..<10, using: &generator) {
    case 0: _ = engine.received(Self.open, at: now)
    case 1: _ = engine.upgradeOpened()
    case 2: _ = engine.receivedOnUpgrade(EnginePacket(.random(using: &generator) ? .pong : .ping, EnginePacket.probe))
    case 3: _ = engine.pollReturned()
    case 4: _ = engine.tick(at: now)
    case 5: _ = engine.received(EnginePacket(.ping, input), at: now)
    default:
      let packet = .random(using: &generator) ? EnginePacket(.message, input) : EnginePacket(binary: input)
      guard case .deliver = engine.received(packet, at: now) else { break }
      if wasClosed { isConsistent = false }
      if case .close = socketIO.received(packet) { engine.close() }
    }
    if wasClosed, !engine.isClosed { isConsistent = false }
  }
}
