import MadangDevelopment
import Testing

/// Faults of a person's room.
struct RoomFaultCase: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let rules: [FaultRule]
  /// Whether they are there before the room runs.
  var isEarly = false

  /// - Parameter account: Whose rooms they befall.
  func rules(for account: String) -> [FaultRule] {
    rules.map { rule in
      var rule = rule
      if rule.match.path == nil, rule.effect.kind != .refuseUpgrade, rule.effect.kind != .refuseNamespace {
        rule.match.account = account
      }
      return rule
    }
  }

  /// Every second time that a chat is posted, and the first two times that the history is read.
  private static func calls(_ name: String, _ effect: FaultEffect) -> Self {
    Self(
      testDescription: name,
      rules: [
        FaultRule(
          effect,
          match: FaultMatch {
            $0.operation = "postToChannel"
            $0.every = 2
          }),
        FaultRule(
          effect,
          match: FaultMatch {
            $0.operation = "channelHistory"
            $0.times = 2
          }),
      ], isEarly: true)
  }

  /// Every third chat of the room's socket.
  private static func chats(_ name: String, _ effect: FaultEffect) -> Self {
    Self(
      testDescription: name,
      rules: [
        FaultRule(
          effect,
          match: FaultMatch {
            $0.event = "channel"
            $0.direction = "toClient"
            $0.every = 3
            $0.times = 3
          })
      ])
  }

  static let ofRequests: [Self] = [
    calls("status 503", FaultEffect(.status) { $0.status = 503 }),
    calls(
      "status 500",
      FaultEffect(.status) {
        $0.status = 500
        $0.code = "E99"
      }),
    calls(
      "failure after the commit",
      FaultEffect(.status) {
        $0.status = 500
        $0.code = "E99"
        $0.after = true
      }),
    calls("expired token", FaultEffect(.expiredToken)), calls("too many calls", FaultEffect(.limited)),
    calls(
      "latency",
      FaultEffect(.latency) {
        $0.milliseconds = 100
        $0.jitter = 100
      }),
    calls(
      "latency after the commit",
      FaultEffect(.latency) {
        $0.milliseconds = 100
        $0.after = true
      }),
    calls("cut in the head", FaultEffect(.cut) { $0.bytes = 0 }),
    calls("cut in the body", FaultEffect(.cut) { $0.bytes = 100 }),
    calls("malformed JSON", FaultEffect(.malformedJSON)),
    calls("wrong content type", FaultEffect(.contentType) { $0.contentType = "text/html" }),
    calls(
      "slow drip",
      FaultEffect(.drip) {
        $0.bytes = 100
        $0.milliseconds = 10
      }), calls("reset before", FaultEffect(.reset)),
    Self(
      testDescription: "restart",
      rules: [
        FaultRule(
          FaultEffect(.restart) { $0.milliseconds = 300 },
          match: FaultMatch {
            $0.operation = "postToChannel"
            $0.nth = 2
          })
      ]),
    Self(
      testDescription: "long-polling fails",
      rules: [
        FaultRule(FaultEffect(.refuseUpgrade)),
        FaultRule(
          FaultEffect(.status) { $0.status = 502 },
          match: FaultMatch {
            $0.path = "/socket.io/*"
            $0.every = 6
            $0.times = 4
          }),
      ], isEarly: true),
  ]

  /// What the database must bear.
  static let afterCommit: [Self] = [
    calls("answer lost", FaultEffect(.answerLost)), calls("reset after", FaultEffect(.reset) { $0.after = true }),
  ]

  static let ofSockets: [Self] = [
    Self(testDescription: "upgrade refused", rules: [FaultRule(FaultEffect(.refuseUpgrade))], isEarly: true),
    Self(
      testDescription: "namespace refused",
      rules: [
        FaultRule(FaultEffect(.refuseNamespace) { $0.message = "E05" }, match: FaultMatch { $0.times = 2 }),
        FaultRule(FaultEffect(.refuseNamespace) { $0.message = "E98" }, match: FaultMatch { $0.times = 2 }),
      ], isEarly: true),
    chats("delay", FaultEffect(.delay) { $0.milliseconds = 200 }),
    chats("duplicate", FaultEffect(.duplicate) { $0.count = 3 }),
    chats("truncate", FaultEffect(.truncate) { $0.bytes = 80 }), chats("silence", FaultEffect(.silence)),
    chats("no pong", FaultEffect(.noPong)), chats("close", FaultEffect(.close) { $0.closeCode = 1011 }),
    chats("namespace taken", FaultEffect(.disconnectNamespace)), chats("socket reset", FaultEffect(.resetSocket)),
  ]
}
