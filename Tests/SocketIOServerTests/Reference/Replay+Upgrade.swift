import SocketIOProtocol
import SocketIOSupport
import Testing

extension Replay {
  private func upgrading(_ target: String) async throws -> RawWebSocket {
    try await .open(port, target.replacing("transport=polling", with: "transport=websocket"))
  }

  func upgrades() async throws {
    try await upgradeToTheEnd()
    try await twoAtOnce()
    try await withoutProbe()
    try await spoiled("message before upgrade", #"42["echo"]"#, polls: true)
    try await spoiled("ping without probe payload", "2", polls: false)
    try await dropped()
    try await buffered()
  }

  private func upgradeToTheEnd() async throws {
    let target = try await polling(joining: "40/bench,")
    let poll = try await Wire.connect(port)
    try await poll.sendRequest("GET", target)
    let webSocket = try await upgrading(target)
    try await messages("probe answer", from: webSocket, [.text("2probe")])
    try saw("pending GET gets", text(await within(Self.patience) { try await poll.readAnswer() }))
    try await http("GET before the upgrade packet gets", "GET", target)
    try await messages("after upgrade", from: webSocket, [.text("5"), .text(#"42/bench,1["echo","up"]"#)])
    try await http("GET after upgrade", "GET", target)
    try await http("POST after upgrade", "POST", target, Fields(), Array("3".utf8))
    let second = try await upgrading(target)
    try saw(
      "second websocket", "101 " + ReferenceAnswers.text(try await collect("second websocket", from: second)))
    try await messages("first websocket still", from: webSocket, [.text(#"42/bench,2["echo","still"]"#)])
  }

  private func twoAtOnce() async throws {
    let target = try await polling(joining: "40/bench,")
    let first = try await upgrading(target)
    let second = try await upgrading(target)
    let name = "two upgrades at once: second"
    try saw(name, "101 " + ReferenceAnswers.text(try await collect(name, from: second)))
    try await messages("first ", from: first, [.text("2probe")])
  }

  private func withoutProbe() async throws {
    let target = try await polling()
    let webSocket = try await upgrading(target)
    try await messages("upgrade without probe", from: webSocket, [.text("5"), .text("40/bench,")])
    try await http("poll ", "GET", target)
  }

  private func spoiled(_ name: String, _ packet: String, polls: Bool) async throws {
    let target = try await polling()
    try await messages(name, from: try await upgrading(target), [.text(packet)])
    guard polls else { return }
    try await http("polling still usable", "POST", target, Fields(), Array("40".utf8))
    try await joined("poll ", target)
  }

  private func dropped() async throws {
    let target = try await polling()
    try await upgrading(target).wire.abort()
    try await http("websocket dropped before upgrade: polling POST", "POST", target, Fields(), Array("40".utf8))
    try await joined("poll ", target)
    try await pending("poll again", "GET", target)
  }

  private func buffered() async throws {
    let target = try await polling()
    try await changing(\.sockets) { _ = try await exchange("POST", target, [], Array("40/bench,".utf8)) }
    try await messages("buffered packets flushed on upgrade", from: try await upgrading(target), [.text("5")])
  }
}
