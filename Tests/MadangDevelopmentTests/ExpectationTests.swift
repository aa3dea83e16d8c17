import Foundation
import MadangDevelopment
import NIOHTTP1
import SocketIOSupport
import Support
import Testing

@Suite("Expectations", .timeLimit(.minutes(5)))
struct ExpectationTests {
  /// What comes of an expectation after a chat was posted, the channel read twice, and another chat posted.
  private func outcome(
    _ expectation: String, _ check: @escaping @Sendable (Int, ExpectationOutcome) throws -> Void
  ) async throws {
    try await FaultScene.run { (scene) async throws in
      let after = try await scene.journal().last
      _ = try await scene.mina.say("one", in: scene.room)
      for _ in 0..<2 { _ = try await scene.mina.get("\(scene.room)/chats") }
      _ = try await scene.mina.say("two", in: scene.room)
      let (status, outcome) = try await scene.expect(
        expectation.replacing("AFTER", with: "\(after)").replacing("N", with: "\(after)"))
      try check(status, outcome)
    }
  }

  @Test(
    "an expectation is met by matching calls",
    arguments: [
      // In any order, one of each at least.
      #"{"expected":[{"operation":"channelHistory","times":{"min":1}},{"operation":"postToChannel","times":{"min":1}}],"after":AFTER}"#,
      #"{"expected":[{"operation":"postToChannel","times":2},{"operation":"channelHistory","times":{"min":1}}],"only":true,"after":AFTER}"#,
      #"{"expected":[{"operation":"postToChannel","body":{"content":"one"}},{"operation":"channelHistory","times":2},{"operation":"postToChannel","answer":{"content":"two"}}],"order":"strict","only":true,"after":AFTER}"#,
      #"{"expected":[{"operation":"postToChannel"},{"operation":"leaveChannel","times":{"max":1}},{"operation":"postToChannel"}],"order":"strict","after":AFTER}"#,
      #"{"expected":[{"operation":"postToChannel","times":2}],"only":true,"among":{"method":"POST"},"after":AFTER}"#,
      #"{"expected":[{"operation":"leaveChannel","times":0}],"after":AFTER,"wait":"100ms"}"#,
      #"{"expected":[{"path":"*/chats","status":200,"account":"mina*","times":4}],"after":AFTER}"#,
    ])
  func met(_ expectation: String) async throws {
    try await outcome(expectation) { status, outcome in
      #expect(status == 200 && outcome.met && outcome.differences.isEmpty, "\(outcome.differences)")
    }
  }

  @Test(
    "an expectation that is not met reports the difference",
    arguments: [
      (
        #"{"expected":[{"operation":"leaveChannel"}],"after":AFTER}"#, ["missing: operation leaveChannel, 0 of 1 came"]
      ),
      (
        #"{"expected":[{"operation":"postToChannel","times":3}],"after":AFTER}"#,
        ["missing: operation postToChannel, 2 of 3 came"]
      ),
      (
        #"{"expected":[{"operation":"channelHistory"}],"after":AFTER}"#,
        ["came too often: operation channelHistory, 2 times instead of 1 (entries 2, 3)"]
      ),
      (
        #"{"expected":[{"operation":"channelHistory","times":{"max":1}}],"after":AFTER}"#,
        ["came too often: operation channelHistory, 2 times instead of at most 1 (entries 2, 3)"]
      ),
      (
        #"{"expected":[{"operation":"postToChannel","times":2}],"only":true,"after":AFTER}"#,
        ["also came: entry 2 channelHistory with 200", "also came: entry 3 channelHistory with 200"]
      ),
      (
        #"{"expected":[{"operation":"channelHistory","times":2},{"operation":"postToChannel","times":2}],"order":"strict","after":AFTER}"#,
        [
          """
          wrong order: entry 1 postToChannel with 200 came before entry 3 channelHistory with 200, expected after it
          """
        ]
      ),
      (
        #"{"expected":[{"operation":"postToChannel","body":{"content":"three"}}],"after":AFTER}"#,
        [
          #"missing: operation postToChannel, body {"content":"three"}, 0 of 1 came"#,
          "near: entry 1: content was 'one', expected 'three'",
        ]
      ),
    ])
  func unmet(_ expectation: String, _ differences: [String]) async throws {
    try await FaultScene.run { (scene) async throws in
      // Numbers of entries begin with 1.
      let after = try await scene.journal().last
      _ = try await scene.mina.say("one", in: scene.room)
      for _ in 0..<2 { _ = try await scene.mina.get("\(scene.room)/chats") }
      _ = try await scene.mina.say("two", in: scene.room)
      let (status, outcome) = try await scene.expect(expectation.replacing("AFTER", with: "\(after)"))
      let words = outcome.differences.map { difference in
        difference.replacing(#/(entry|entries) ([0-9]+(?:, [0-9]+)*)/#) { match in
          let numbers = match.2.split(separator: ", ").compactMap { Int($0) }.map { String($0 - after) }
          return "\(match.1) \(numbers.joined(separator: ", "))"
        }
      }
      #expect(status == 409 && !outcome.met && words == differences, "\(words)")
    }
  }

  @Test("an expectation waits for missing calls, but not once it can no longer be met")
  func waits() async throws {
    try await FaultScene.run { (scene) async throws in
      let after = try await scene.journal().last
      async let waiting = scene.expect(
        #"{"expected":[{"operation":"postToChannel","times":2}],"after":\#(after),"wait":"60s"}"#)
      _ = try await scene.mina.say("one", in: scene.room)
      _ = try await scene.mina.say("two", in: scene.room)
      let met = try await waiting
      #expect(met.status == 200 && met.outcome.matched.map(\.entries) == [[after + 1, after + 2]])
      let began = ContinuousClock.now
      let hopeless = try await scene.expect(
        #"{"expected":[{"operation":"leaveChannel"}],"only":true,"after":\#(after),"wait":"60s"}"#)
      #expect(hopeless.status == 409 && ContinuousClock.now - began < .seconds(30))
    }
  }

  @Test("a met expectation is watched for forbidden calls for a given time")
  func settles() async throws {
    try await FaultScene.run { (scene) async throws in
      let after = try await scene.journal().last
      async let waiting = scene.expect(
        #"{"expected":[{"operation":"postToChannel"}],"after":\#(after),"wait":"60s","settle":"60s"}"#)
      _ = try await scene.mina.say("one", in: scene.room)
      _ = try await scene.mina.say("two", in: scene.room)
      let watched = try await waiting
      #expect(watched.status == 409 && watched.outcome.differences.first?.hasPrefix("came too often") == true)
      let first = try await scene.expect(
        #"{"expected":[{"operation":"leaveChannel","times":{"max":1}}],"after":\#(after),"settle":"50ms"}"#)
      #expect(first.status == 200)
    }
  }

  @Test("packets and notifications can be expected, too")
  func packets() async throws {
    try await FaultScene.run { (scene) async throws in
      let client = try await scene.joined(.upgraded)
      let told = try await scene.said("Hi")
      #expect(try await client.text() == told)
      let (status, outcome) = try await scene.expect(
        """
        {"expected":[{"packet":"connect","direction":"fromClient"},{"packet":"connect","direction":"toClient"},
        {"event":"channel","packet":"event","namespace":"/ws-channel-*","body":{"content":"Hi"}}],
        "order":"strict","only":true,"among":{"kind":"packet","namespace":"/ws-*"}}
        """)
      #expect(status == 200, "\(outcome.differences)")
      // As in rules for faults.
      #expect(try await scene.expect(#"{"expected":[{"packet":"message","times":{"min":3}}]}"#).status == 200)
      await client.abort()
    }
  }

  @Test("in strict order a request comes before the events that it caused, even if it is answered later")
  func late() async throws {
    try await FaultScene.run { (scene) async throws in
      let client = try await scene.joined(.webSocket)
      let after = try await scene.journal().last
      try await scene.answerNextPostLate()
      let posted = Task { try await scene.post("one").status }
      let (post, event) = (#"{"operation":"postToChannel"}"#, #"{"event":"channel","direction":"toClient"}"#)
      func outcome(_ items: String) async throws -> ExpectationOutcome {
        try await scene.expect(
          #"{"expected":[\#(items)],"order":"strict","only":true,"after":\#(after),"wait":"1m"}"#
        ).outcome
      }
      // The event is there first.
      _ = try await client.text()
      let first = try await outcome("\(post),\(event)")
      #expect(first.met, "\(first)")
      #expect(first.matched[0].entries[0] > first.matched[1].entries[0])
      #expect(try await posted.value == 200)
      let wrong = try await scene.expect(
        #"{"expected":[\#(event),\#(post)],"order":"strict","after":\#(after)}"#)
      #expect(wrong.status == 409, "\(wrong)")
      // One chat after the other, the second event of which could be taken for the first one's.
      #expect(try await scene.post("two").status == 200)
      _ = try await client.text()
      let both = try await outcome("\(post),\(event),\(post),\(event)")
      #expect(both.met, "\(both)")
      await client.abort()
    }
  }

  @Test(
    "an invalid expectation is refused with its cause and its cure",
    arguments: [
      (#"{"expected":[]}"#, "expected: 1 to 256"),
      (#"{"expected":[{"operations":"x"}]}"#, "is not a field of something"),
      (#"{"expected":[{"operation":"fly"}]}"#, "no edition has 'fly'"),
      (#"{"expected":[{"times":{"min":2,"max":1}}]}"#, "with min not above max"),
      (#"{"expect":[]}"#, "expect: is not a field of an expectation"),
      (#"{"expected":[{}],"wait":"soon"}"#, "a length of time like"),
      (#"{"expected":[{"times":-1}]}"#, "expected[0].times: a whole number"),
      (
        #"{"expected":[{"spacing":{"atLeast":"2s","atMost":"1s"}}]}"#,
        #"expected[0].spacing: {\"atLeast\": \"1s\", \"atMost\": \"1m\"}, or one of them, with atLeast not above atMost"#
      ),
      (#"{"expected":[{"spacing":{"atLeast":"2x"}}]}"#, "expected[0].spacing.atLeast: a length of time like"),
      (#"{"expected":[{"spacing":{"least":"2s"}}]}"#, "expected[0].spacing.least: is not a field of spacing"),
      (#"{"expected":[{"times":"2"}]}"#, "expected[0].times: a whole number"), (#"{}"#, "expected: is missing"),
      (#"{"expected":[{"body":{"password":"x"}}]}"#, "expected[0].body.password: the journal does not keep secrets"),
      (
        #"{"expected":[{"body":[1,{"user":{"password":"x"}}]}]}"#,
        "expected[0].body[1].user.password: the journal does not keep secrets"
      ),
      (#"{"expected":[{"account":"nobody"}]}"#, "expected[0].account: there is no person with the e-mail 'nobody'"),
      (#"{"expected":[{}],"among":{"methdo":"POST"}}"#, "among.methdo: is not a field of a filter"),
      // What nothing can ever match would make "never" true for ever.
      (#"{"expected":[{"operation":"postToChannel","event":"channel"}]}"#, "no entry of the journal has all of these"),
      (#"{"expected":[{"operation":"postToChannel","direction":"fromClient"}]}"#, "has all of these"),
      (#"{"expected":[{"kind":"request","event":"channel"}]}"#, "has all of these"),
      (#"{"expected":[{"packet":"ping","event":"channel"}]}"#, "packet: 'ping' has no event"),
      (#"{"expected":[{"packet":"noop"}]}"#, "packet: 'noop' does not exist"),
      (#"{"expected":[{"kind":"connection","event":"open"}]}"#, "event: 'open' does not exist"),
      (#"{"expected":[{"kind":"req*uests"}]}"#, "kind: 'req*uests' does not exist"),
      (
        #"{"expected":[{"code":"E05"}],"only":true,"among":{"operation":"fly"}}"#,
        "among.operation: no edition has 'fly'"
      ),
      (#"{"expected":[{"code":"e05"}]}"#, "expected[0].code: 'e05' does not exist"),
      (#"{"expected":[{"method":"GTE"}]}"#, "method: 'GTE' does not exist"),
      (#"{"expected":[{"status":"999"}]}"#, "status: a status like 200"),
      (#"{"expected":[{"operation":"postTo*Chanel"}]}"#, "no edition has 'postTo*Chanel'"),
      (#"{"expected":[{"path":"v1/workspaces"}]}"#, "path: a path like"),
      (#"{"expected":[{"path":"/v1/x?y=1"}]}"#, "without its query"),
      (#"{"expected":[{"namespace":"ws-channel-1"}]}"#, "namespace: a namespace like"),
      (#"{"expected":[{"event":"chanel","direction":"toClient"}]}"#, "event: 'chanel' does not exist; there are"),
      (#"{"expected":[{"path":"/_dev/clock","times":0}]}"#, "path: development calls are not in the journal"),
      (#"{"expected":[{}],"among":{"method":"POST"}}"#, #"among: needs \"only\": true"#),
      (#"{"expected":[{"body":{"password":"Passw0rd!"}}]}"#, "password: the journal does not keep secrets"),
    ])
  func mistakes(_ body: String, _ words: String) async throws {
    try await Scene.run { worlds in
      let world = try await worlds.make(try Scene.plan(.empty))
      let answer = try await Caller(url: world.url).call(.POST, "/_dev/expect", body)
      #expect(answer.status == 400 && answer.body.contains(words), "\(answer.body)")
    }
  }
}
