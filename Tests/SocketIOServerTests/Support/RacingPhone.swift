import SocketIOProtocol
import SocketIOSupport

/// A client that upgrades like socket.io-client-swift: it POSTs and probes at once, and completes the upgrade as soon as its waiting GET
/// returns, whether or not its POST has been answered.
actor RacingPhone {
  private let revision: EngineRevision
  private let target: String
  private let webSocket: RawWebSocket
  private let getting: Wire
  private let posting: Wire
  /// Packets that wait for the current POST.
  private var outbox: [EnginePacket] = []
  private var isPosting = false
  /// Whether the upgrade was completed while a POST was in progress.
  private(set) var hasOvertaken = false
  private var mayUpgrade = false
  private var isUpgraded = false
  private var inbox: [EnginePacket] = []
  private var refusals: [String] = []

  /// Opens a session and a WebSocket for it, without starting the upgrade.
  ///
  /// - Parameter isInMain: Whether it joins the main namespace first.
  static func open(_ port: Int, _ revision: EngineRevision, isInMain: Bool = false) async throws -> RacingPhone {
    let path = "/socket.io/?EIO=\(revision.rawValue)&b64=1&transport="
    let getting = try await Wire.connect(port)
    let answer = try await getting.request("GET", path + "polling")
    let packets = try EnginePayload.decode(answer.body, revision)
    guard let first = packets.first else { throw Wire.Closed() }
    let sid = try EngineOpen(data: first.data).sid
    let phone = RacingPhone(
      revision, path + "polling&sid=\(sid)", try await .open(port, path + "websocket&sid=\(sid)"), getting,
      try await .connect(port))
    if isInMain { try await phone.joinMain() }
    return phone
  }

  /// Revision 3 clients join it automatically.
  private func joinMain() async throws {
    if revision == .v4 {
      outbox = SocketPacket(.connect).messages()
      try await post()
    }
    _ = try await getting.request("GET", target)
  }

  private init(
    _ revision: EngineRevision, _ target: String, _ webSocket: RawWebSocket, _ getting: Wire, _ posting: Wire
  ) {
    self.revision = revision
    self.target = target
    self.webSocket = webSocket
    self.getting = getting
    self.posting = posting
  }

  /// Sends packets while the session upgrades, and reads until `isDone` accepts the received packets or the server closes.
  ///
  /// - Returns: The received packets, and the answers to POSTs that were refused.
  func upgrade(
    sending packets: [SocketPacket], until isDone: @Sendable ([EnginePacket]) -> Bool
  ) async throws -> (received: [EnginePacket], refusals: [String]) {
    outbox = packets.flatMap { $0.messages() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.post() }
      group.addTask { try await self.probe() }
      group.addTask { try await self.poll() }
      try await group.waitForAll()
    }
    while !isDone(inbox) {
      switch await webSocket.next() {
      case .text(let text): try await receive(EnginePacket(text: Array(text.utf8)[...], revision))
      case .binary(let bytes): try await receive(EnginePacket(frame: .binary(bytes), revision))
      default: return (inbox, refusals)
      }
    }
    return (inbox, refusals)
  }

  private func receive(_ packet: EnginePacket) async throws {
    if packet.kind == .ping { return try await webSocket.send("3") }
    inbox.append(packet)
  }

  private func post() async throws {
    while !outbox.isEmpty, !isUpgraded {
      // One Socket.IO packet per POST, so that some of them are overtaken.
      let packets = Array(outbox.prefix(1 + outbox.dropFirst().prefix { $0.isBinary }.count))
      outbox.removeFirst(packets.count)
      isPosting = true
      defer { isPosting = false }
      let answer = try await posting.request(
        "POST", target, headers: [("Content-Type", "text/plain;charset=UTF-8")],
        body: EnginePayload.encode(packets, revision))
      if answer.text != "ok" { refusals.append("\(answer.status) \(answer.text)") }
    }
  }

  private func probe() async throws {
    try await webSocket.send("2probe")
    guard await webSocket.text() == "3probe" else { throw Wire.Closed() }
    mayUpgrade = true
  }

  private func poll() async throws {
    while true {
      let answer = try await getting.request("GET", target)
      guard answer.status == 200 else { throw Wire.Closed() }
      for packet in try EnginePayload.decode(answer.body, revision) where packet.kind != .noop { inbox.append(packet) }
      if mayUpgrade { break }
    }
    isUpgraded = true
    hasOvertaken = isPosting
    try await webSocket.send("5")
    // The remaining packets are sent over the WebSocket, attachments as base64 text.
    let rest = outbox
    outbox = []
    for packet in rest { try await webSocket.send(String(decoding: packet.encodedText(revision), as: UTF8.self)) }
  }

  /// Closes the connections without notice.
  func abort() {
    for wire in [getting, posting, webSocket.wire] { wire.abort() }
  }
}
