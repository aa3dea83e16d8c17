import Foundation
import MadangCore
import MadangDevelopment
import NIOHTTP1
import Support
import Testing

@Suite("Lengths of time in calls", .timeLimit(.minutes(5)))
struct GivenTimeTests {
  @Test(
    "a length of time has a unit, or is a number of seconds",
    arguments: [
      ("500ms", 500), ("5s", 5000), ("1.5s", 1500), ("10m", 600_000), ("25h", 90_000_000), ("30d", 2_592_000_000),
      ("2w", 1_209_600_000), ("5", 5000), ("0.25", 250), ("0", 0), ("007s", 7000), ("0.0001s", 0),
    ])
  func lengths(_ text: String, _ milliseconds: Int64) { #expect(LengthOfTime.milliseconds(text) == milliseconds) }

  @Test(
    "any other text is no length of time",
    arguments: [
      "", "s", ".", ".5s", "5.s", "1.2.3", "-1s", "+1s", "1 s", "1S", "1e3", "٣s", "5x", "2h3m", "9999999999999w",
      "9223372036854775808", String(repeating: "1", count: 40),
    ])
  func others(_ text: String) { #expect(LengthOfTime.milliseconds(text) == nil) }

  @Test("lengths of time become milliseconds exactly")
  func exact() {
    let inexact = (1...10_000).filter { Duration.seconds($0 * 3600).wholeMilliseconds != Int64($0) * 3_600_000 }
    #expect(inexact == [])
  }

  @Test("calls take a length of time as text and as a number of seconds")
  func notations() async throws {
    try await Scene.run { worlds in
      let world = try await worlds.make(try Scene.plan(.courtyard, number: 1))
      let caller = Caller(url: world.url)
      for (advance, now) in [
        (#""25h""#, "2026-01-06T10:00:00.000Z"), ("1.5", "2026-01-06T10:00:01.500Z"),
        (#""500ms""#, "2026-01-06T10:00:02.000Z"), (#""58""#, "2026-01-06T10:01:00.000Z"),
      ] {
        let answer = try await caller.call(.POST, "/_dev/clock", #"{"advance":\#(advance)}"#)
        #expect(try answer.object["now"] as? String == now, "\(answer.body)")
      }
      for wait in ["0.01", "10ms"] {
        #expect(try await caller.call(.GET, "/_dev/journal?kind=push&wait=\(wait)").status == 200)
      }
      for wait in ["0.01", #""10ms""#] {
        let expected = #"{"expected":[{"kind":"push","times":0}],"wait":\#(wait),"settle":\#(wait)}"#
        #expect(try await caller.call(.POST, "/_dev/expect", expected).status == 200)
        #expect(try await caller.call(.POST, "/_dev/reset", #"{"wait":\#(wait)}"#).status == 200)
      }
      for body in [#"{"downFor":"1ms"}"#, #"{"downFor":0.001}"#, #"{"milliseconds":1}"#] {
        #expect(try await caller.call(.POST, "/_dev/restart", body).status == 200)
        await until { (try? await caller.call(.GET, "/_dev/clock").status) == 200 }
      }
      let script = "{name: s, after: 2, do: [{wait: 1.5}, {wait: 1h}]}"
      #expect(try await caller.call(.POST, "/_dev/scripts", script).status == 200)
    }
  }

  @Test(
    "a wrong or contradictory time is refused with its field",
    arguments: [
      ("clock", #"{"advance":-1}"#, "advance: a length of time like 500ms"),
      ("clock", #"{"advance":"soon"}"#, "advance: a length of time like 500ms"),
      ("clock", #"{"advance":1e300}"#, "advance: a length of time like 500ms"),
      ("restart", "{}", "downFor: is missing"), ("restart", #"{"downFor":"61s"}"#, "downFor: a length of time"),
      (
        "restart", #"{"downFor":"1s","milliseconds":5}"#,
        "milliseconds: is not allowed with 'downFor', which says the same; leave one out"
      ),
      (
        "faults", #"{"effect":{"kind":"latency","time":1,"milliseconds":5}}"#,
        "effect.milliseconds: is not allowed with 'time', which says the same; leave one out"
      ),
      ("faults", #"{"effect":{"kind":"latency","time":"11m"}}"#, "effect.time: a length of time"),
      ("faults", #"{"effect":{"kind":"restart","time":"61s"}}"#, "at most 1m"),
      ("faults", #"{"effect":{"kind":"limited","retryAfter":"500ms"}}"#, "effect.retryAfter: whole seconds"),
      ("faults", #"{"effect":{"kind":"latency","milliseconds":5,"jitter":0.5}}"#, "effect.jitter: whole milliseconds"),
      ("scripts", "{name: s, do: [{wait: soon}]}", "wait: a length of time like 500ms"),
    ])
  func mistakes(_ path: String, _ body: String, _ words: String) async throws {
    try await Scene.run { worlds in
      let world = try await worlds.make(try Scene.plan(.empty))
      let answer = try await Caller(url: world.url).call(.POST, "/_dev/\(path)", body)
      #expect(answer.status == 400 && answer.body.contains(words), "\(answer.body)")
    }
  }

  @Test(
    "times of effects have both notations, and a jitter has the unit of the field beside it",
    arguments: [
      (#""time":"1.5s","jitter":"250ms""#, 1500, 250), (#""time":1.5,"jitter":0.25"#, 1500, 250),
      (#""milliseconds":1500,"jitter":250"#, 1500, 250), (#""milliseconds":1500,"jitter":"250ms""#, 1500, 250),
    ])
  func effects(_ fields: String, _ milliseconds: Int, _ jitter: Int) throws {
    let rule = try CallBody.decode(
      FaultRule.self, from: Array(#"{"effect":{"kind":"latency",\#(fields)}}"#.utf8))
    #expect(rule.effect.milliseconds == milliseconds && rule.effect.jitter == jitter)
  }

  @Test("a parameter that is given twice is refused with both values")
  func repeated() async throws {
    try await Scene.run { worlds in
      let world = try await worlds.make(try Scene.plan(.empty))
      let caller = Caller(url: world.url)
      for path in ["journal?kind=push&kind=request", "people?after=push&after=request", "mails?to=push&to=request"] {
        let answer = try await caller.call(.GET, "/_dev/\(path)")
        #expect(
          answer.status == 400 && answer.body.contains("is given twice, as 'push' and as 'request'; give it once"),
          "\(answer.body)")
      }
    }
  }
}
