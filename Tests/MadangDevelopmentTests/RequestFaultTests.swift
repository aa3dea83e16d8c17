import Foundation
import MadangDevelopment
import NIOHTTP1
import SocketIOSupport
import Support
import Testing

@Suite("Faults of requests, on the wire", .timeLimit(.minutes(5)))
struct RequestFaultTests {
  /// A rule for chats that are posted.
  private func onPosts(_ effect: FaultEffect) -> FaultRule {
    FaultRule(effect, match: FaultMatch { $0.operation = "postToChannel" })
  }

  private func onProfile(_ effect: FaultEffect) -> FaultRule {
    FaultRule(effect, match: FaultMatch { $0.operation = "GET /users/me" })
  }

  @Test("a status fault answers with a code, a given body or none, and the operation is not carried out")
  func status() async throws {
    try await FaultScene.run { (scene) async throws in
      try await scene.kit.faults.add(
        onPosts(
          FaultEffect(.status) {
            $0.status = 429
            $0.code = "E98"
            $0.retryAfter = 7
          }))
      let limited = try await scene.post("no")
      #expect(limited.head.first == "HTTP/1.1 429 Too Many Requests")
      #expect(limited.header("Retry-After") == "7")
      #expect(limited.header("Content-Type") == "application/json; charset=utf-8")
      #expect(limited.text == #"{"errorCode":"E98"}"#)
      scene.kit.faults.removeAll()
      try await scene.kit.faults.add(
        onPosts(
          FaultEffect(.status) {
            $0.status = 502
            $0.body = "<h1>Bad gateway</h1>"
            $0.contentType = "text/html"
          }))
      let page = try await scene.post("no")
      #expect(page.head.first == "HTTP/1.1 502 Bad Gateway")
      #expect(page.header("Content-Type") == "text/html")
      #expect(page.text == "<h1>Bad gateway</h1>")
      scene.kit.faults.removeAll()
      try await scene.kit.faults.add(onPosts(FaultEffect(.status) { $0.status = 503 }))
      let empty = try await scene.post("no")
      #expect(empty.status == 503)
      #expect(empty.header("Content-Length") == "0")
      #expect(empty.body == [])
      scene.kit.faults.removeAll()
      #expect(try await scene.contents() == [])
    }
  }

  @Test("a fault after the commit answers a failure, but the chat is there", arguments: TestEngine.available)
  func statusAfter(_ engine: TestEngine) async throws {
    try await FaultScene.run(engine) { (scene) async throws in
      try await scene.kit.faults.add(
        onPosts(
          FaultEffect(.status) {
            $0.status = 500
            $0.code = "E99"
            $0.after = true
          }))
      let answer = try await scene.post("committed")
      #expect(answer.status == 500)
      #expect(answer.text == #"{"errorCode":"E99"}"#)
      #expect(try await scene.contents() == ["committed"])
    }
  }

  @Test("expired tokens and too many calls are answered as in the contract")
  func contractRefusals() async throws {
    try await FaultScene.run { (scene) async throws in
      try await scene.kit.faults.add(onPosts(FaultEffect(.expiredToken)))
      let expired = try await scene.post("no")
      #expect(expired.status == 400)
      #expect(expired.text == #"{"errorCode":"E05"}"#)
      scene.kit.faults.removeAll()
      try await scene.kit.faults.add(onPosts(FaultEffect(.limited) { $0.retryAfter = 3 }))
      let limited = try await scene.post("no")
      #expect(limited.status == 400)
      #expect(limited.header("Retry-After") == "3")
      #expect(limited.text == #"{"errorCode":"E98"}"#)
      #expect(try await scene.contents() == [])
    }
  }

  @Test("latency delays a call before or after its operation", arguments: TestEngine.available)
  func latency(_ engine: TestEngine) async throws {
    try await FaultScene.run(engine) { (scene) async throws in
      let faults = scene.kit.faults
      try await faults.add(onProfile(FaultEffect(.latency) { $0.milliseconds = 300 }))
      let began = ContinuousClock.now
      #expect(try await scene.call(.GET, "users/me").status == 200)
      #expect(ContinuousClock.now - began >= .milliseconds(300))
      faults.removeAll()

      let before = try await faults.add(onPosts(FaultEffect(.latency) { $0.milliseconds = 60_000 }))
      let never = try await scene.sent(.POST, "\(scene.room)/chats", json: #"{"content":"later"}"#)
      #expect(try await Support.World.eventually { scene.applied(before) == 1 })
      #expect(try await scene.contents() == [])
      never.abort()
      faults.removeAll()

      try await faults.add(
        onPosts(
          FaultEffect(.latency) {
            $0.milliseconds = 60_000
            $0.after = true
          }))
      let late = try await scene.sent(.POST, "\(scene.room)/chats", json: #"{"content":"said"}"#)
      #expect(try await Support.World.eventually { try await scene.contents() == ["said"] })
      late.abort()
    }
  }

  @Test("a lost answer sends not one byte, but the chat is there", arguments: TestEngine.available)
  func answerLost(_ engine: TestEngine) async throws {
    try await FaultScene.run(engine) { (scene) async throws in
      try await scene.kit.faults.add(onPosts(FaultEffect(.answerLost)))
      let answer = try await scene.post("said")
      #expect(answer.bytes == [])
      #expect(!answer.wasReset)
      #expect(try await scene.contents() == ["said"])
    }
  }

  @Test("a connection is reset before or after the operation", arguments: TestEngine.available)
  func reset(_ engine: TestEngine) async throws {
    try await FaultScene.run(engine) { (scene) async throws in
      try await scene.kit.faults.add(onPosts(FaultEffect(.reset)))
      let before = try await scene.post("no")
      #expect(before.bytes == [])
      #expect(before.wasReset)
      #expect(try await scene.contents() == [])
      scene.kit.faults.removeAll()
      try await scene.kit.faults.add(onPosts(FaultEffect(.reset) { $0.after = true }))
      let after = try await scene.post("said")
      #expect(after.bytes == [])
      #expect(after.wasReset)
      #expect(try await scene.contents() == ["said"])
    }
  }

  @Test(
    "an answer is cut off after some bytes, with the full length in its head", arguments: [0, 1, 10, 1 << 20])
  func cut(_ count: Int) async throws {
    try await FaultScene.run { (scene) async throws in
      let whole = try await scene.call(.GET, "users/me")
      try await scene.kit.faults.add(onProfile(FaultEffect(.cut) { $0.bytes = count }))
      let cut = try await scene.call(.GET, "users/me")
      #expect(cut.head == whole.head)
      #expect(cut.header("Content-Length") == "\(whole.body.count)")
      #expect(cut.body == Array(whole.body.dropLast().prefix(count)))
      #expect(!cut.wasReset)
    }
  }

  @Test("truncated JSON comes as a complete answer; an empty body becomes the start of JSON")
  func malformedJSON() async throws {
    try await FaultScene.run { (scene) async throws in
      let whole = try await scene.call(.GET, "users/me")
      try await scene.kit.faults.add(FaultRule(FaultEffect(.malformedJSON)))
      let broken = try await scene.call(.GET, "users/me")
      #expect(broken.status == 200)
      #expect(broken.header("Content-Length") == "\(whole.body.count - 1)")
      #expect(broken.body == whole.body.dropLast())
      #expect(throws: (any Error).self) { try JSON(broken.body) }
      let empty = try await scene.call(.POST, "users/deviceToken", json: #"{"deviceToken":"x"}"#)
      #expect(empty.text == "{")
      #expect(empty.header("Content-Length") == "1")
    }
  }

  @Test("a wrong content type changes nothing else")
  func contentType() async throws {
    try await FaultScene.run { (scene) async throws in
      let whole = try await scene.call(.GET, "users/me")
      try await scene.kit.faults.add(onProfile(FaultEffect(.contentType) { $0.contentType = "text/html" }))
      let wrong = try await scene.call(.GET, "users/me")
      #expect(wrong.header("Content-Type") == "text/html")
      #expect(wrong.body == whole.body)
      #expect(wrong.head.count == whole.head.count)
    }
  }

  @Test("a slow drip sends some bytes at a time")
  func drip() async throws {
    try await FaultScene.run { (scene) async throws in
      let whole = try await scene.call(.GET, "users/me")
      try await scene.kit.faults.add(
        onProfile(
          FaultEffect(.drip) {
            $0.bytes = 20
            $0.milliseconds = 30
          }))
      let pieces = (whole.body.count + 19) / 20
      let began = ContinuousClock.now
      let slow = try await scene.call(.GET, "users/me")
      #expect(slow.body == whole.body)
      #expect(slow.head == whole.head)
      #expect(ContinuousClock.now - began >= .milliseconds(30 * (pieces - 1)))
    }
  }

  @Test(
    "a restart ends all connections, closes new ones at once, and then ends without a trace",
    arguments: TestEngine.available)
  func restart(_ engine: TestEngine) async throws {
    try await FaultScene.run(engine) { (scene) async throws in
      #expect(try await scene.post("before").status == 200)
      let socket = try await scene.joined(.webSocket)
      let polling = try await scene.joined(.polling)
      try await scene.kit.faults.add(
        FaultRule(
          FaultEffect(.restart) {
            $0.milliseconds = 60_000
            $0.after = true
          },
          match: FaultMatch {
            $0.operation = "postToChannel"
            $0.nth = 1
          }))
      let answer = try await scene.post("in the midst")
      #expect(answer.bytes == [])
      // Earlier packets are read first.
      while case let message? = await socket.webSocket?.next(), message != .end {}
      let refused = try await Wire.connect(scene.port)
      #expect(await refused.readToEnd() == [])
      await scene.restart()
      #expect(try await scene.contents() == ["before", "in the midst"])
      #expect(try await polling.get("&sid=\(await polling.sid)").status == 400, "its session is gone")
      let again = try await scene.joined(.upgraded)
      await again.abort()
    }
  }

  @Test("faults also apply to long-polling requests")
  func polling() async throws {
    try await FaultScene.run { (scene) async throws in
      try await scene.kit.faults.add(
        FaultRule(FaultEffect(.status) { $0.status = 502 }, match: FaultMatch { $0.path = "/socket.io/*" }))
      #expect(try await scene.call(.GET, "/socket.io/?EIO=4&transport=polling").status == 502)
      #expect(try await scene.call(.GET, "users/me").status == 200)
    }
  }
}
