import Foundation
import MadangAPI
import MadangCore
import NIOHTTP1
import SocketIOSupport
import Support
import Testing

@testable import MadangDevelopment

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite("Coverage of the contract", .timeLimit(.minutes(5)))
struct CoverageTests {
  private func report(_ scene: FaultScene) async throws -> [CoverageReport.Part] {
    let answer = try await scene.world.call(.GET, "/_dev/coverage", key: nil)
    let counts = try JSONDecoder().decode(CoverageFile.Counted.self, from: Data(answer.body)).counts
    #expect(counts == scene.kit.coverage.counts)
    return CoverageReport(counts).parts
  }

  private func counts(_ scene: FaultScene, _ section: String, _ edition: String = "2024-10") async throws -> [String:
    Int]
  {
    try #require(try await report(scene).first { $0.edition == edition && $0.section == section }).counts
  }

  @Test("the contract is read from the OpenAPI documents: each operation, code and optional field once")
  func contract() throws {
    for edition in EditionName.allCases {
      let description = APIDescription.of(edition)
      func names(_ section: Contract.Section) -> [String] {
        Contract.shared.items.filter { $0.edition == edition && $0.section == section }.map(\.name)
      }
      #expect(Set(names(.operations)) == Set(description.operations.map(\.id)))
      let common = ["E01", "E97", "E98", "E99"]
      let codes = description.operations.flatMap { operation in
        operation.codes.filter { !common.contains($0) }.map { "\(operation.id) \($0)" }
      }
      #expect(Set(names(.codes)).isSuperset(of: Set(codes + common)))
      // Besides these: what the download of a file answers.
      #expect(
        names(.codes).count == Set(codes + common).count
          + names(.codes).filter { $0.hasPrefix("file ") && !$0.contains("E") }.count)
      for section in Contract.Section.allCases { #expect(Set(names(section)).count == names(section).count) }
      #expect(names(.fields).contains("signUp phone") && names(.fields).contains("channelUnread ?after"))
      #expect(names(.fields).contains("postToChannel files") && !names(.fields).contains("signUp email"))
      #expect(names(.fields).contains("file Range:"))
      let known = Set(names(.operations) + ["*"])
      for flow in try #require(Flow.all[edition]) {
        for step in flow.steps {
          switch step {
          case .success(let id): #expect(known.contains(id), "\(flow.name)")
          case .refusal(let id, let code):
            #expect(known.contains(id) && ErrorCode(rawValue: code) != nil, "\(flow.name)")
          case .event(let event): #expect(ContractEvent.all.contains(event))
          }
        }
      }
    }
  }

  @Test("operations, codes, fields and events are counted as they happen", arguments: TestEngine.available)
  func counting(_ engine: TestEngine) async throws {
    try await FaultScene.run(engine) { (scene) async throws in
      _ = try await scene.mina.say("Hello", in: scene.room)
      _ = try await scene.mina.get("\(scene.room)/unreads?after=")
      #expect(try await scene.mina.code(.GET, "workspaces/5e4d7f0a-0000-4000-8000-000000000000") == "E13")
      #expect(try await scene.mina.code(.GET, "nowhere") == "E97")
      #expect(try await scene.world.call(.GET, "workspaces", key: "another").code == "E01")
      let operations = try await counts(scene, "operations")
      #expect(
        operations == ["signUp": 1, "createWorkspace": 1, "createChannel": 1, "postToChannel": 1, "channelUnread": 1])
      #expect(try await counts(scene, "codes") == ["workspace E13": 1, "E97": 1, "E01": 1])
      #expect(try await counts(scene, "codes", "2024-01") == ["E01": 1])
      #expect(try await counts(scene, "fields") == ["postToChannel content": 1, "channelUnread ?after": 1])
      let client = try await scene.joined(.upgraded)
      let told = try await scene.said("Hi")
      #expect(try await client.text() == told)
      try await client.send("41\(scene.namespace),")
      #expect(try await scene.journal("packet=disconnect&wait=1m").complete)
      let events = try await counts(scene, "events")
      #expect(events == ["/ws-channel- joined": 1, "/ws-channel- told": 1, "/ws-channel- left": 1])
      await client.abort()
      #expect(try await scene.world.call(.DELETE, "/_dev/coverage", key: nil).status == 200)
      #expect(try await report(scene).allSatisfy { $0.touched == 0 })
    }
  }

  @Test("a flow is touched once its steps have come in order")
  func flows() async throws {
    try await FaultScene.run { (scene) async throws in
      _ = try await scene.world.call(.POST, "users/validation/email", .json(["email": "joon@example.com"]))
      let joon = try await scene.world.signUp("Joon")
      _ = try await joon.get("users/me")
      _ = try await joon.get("workspaces")
      let half = try #require(try await report(scene).first { $0.section == "flows" })
      #expect(half.counts["Sign up"] == nil && half.missing.contains("Sign up (3 steps were done)"))
      _ = try await joon.get("users/me")
      #expect(try await counts(scene, "flows")["Sign up"] == 1)
    }
  }

  @Test(
    "an event may come before the answer of the call that caused it and still continues its flow; earlier events do not"
  )
  func earlyEvents() async throws {
    try await FaultScene.run { (scene) async throws in
      func sent(by post: (EngineClient) async throws -> Void) async throws -> Int? {
        #expect(try await scene.world.call(.DELETE, "/_dev/coverage", key: nil).status == 200)
        let socket = try await scene.joined(.webSocket)
        try await post(socket)
        _ = try await scene.mina.get("\(scene.room)/chats")
        await socket.abort()
        return try await counts(scene, "flows")["Send"]
      }
      // The answer waits; the socket gets the chat meanwhile.
      try await scene.kit.faults.add(
        FaultRule(
          FaultEffect(.latency) { ($0.milliseconds, $0.after) = (10_000, true) },
          match: FaultMatch { ($0.operation, $0.times) = ("postToChannel", 1) }))
      #expect(try await sent { _ in _ = try await scene.mina.say("early", in: scene.room) } == 1)
      // The journal does not show the delivery of this chat; of another one, posted without a client's request, it was shown before.
      let unseen = try await sent { socket in
        let path = "/_dev/people/mina@example.com/v1/\(scene.room)/chats"
        #expect(try await scene.world.call(.POST, path, key: nil, .json(["content": "other"])).status == 200)
        _ = try await socket.text()
        scene.kit.journal.recordsPackets = false
        _ = try await scene.mina.say("unseen", in: scene.room)
        scene.kit.journal.recordsPackets = true
      }
      #expect(unseen == nil)
    }
  }

  @Test("a room joined while its history is loading does not count as joined after it")
  func enteredTooEarly() async throws {
    try await FaultScene.run { (scene) async throws in
      #expect(try await scene.world.call(.DELETE, "/_dev/coverage", key: nil).status == 200)
      // Tells that the request has begun.
      try await scene.kit.faults.add(
        FaultRule(
          FaultEffect(.latency) { $0.milliseconds = 1 },
          match: FaultMatch { ($0.operation, $0.times) = ("channelHistory", 1) }))
      // A request is answered when all of its body is there.
      let wire = try await Wire.connect(scene.port)
      let head = """
        GET /v1/\(scene.room)/chats HTTP/1.1\r\nHost: x\r\nSesacKey: \(DevelopmentKey.october2024)\r
        Authorization: \(scene.mina.token)\r\nContent-Length: 1\r\nConnection: close\r\n\r\n
        """
      try await wire.send(Array(head.utf8))
      await until { scene.kit.faults.reports[0].applied == 1 }
      let early = try await scene.joined(.webSocket)
      try await wire.send([0x20])
      #expect(String(decoding: await wire.readToEnd(), as: UTF8.self).hasPrefix("HTTP/1.1 200 "))
      #expect(try await counts(scene, "flows")["Enter a channel"] == nil)
      await early.abort()
      let inTime = try await scene.joined(.webSocket)
      #expect(try await counts(scene, "flows")["Enter a channel"] == 1)
      await inTime.abort()
    }
  }

  @Test("coverage of several servers adds up")
  func merging() throws {
    var first = Array(repeating: 0, count: Contract.shared.items.count)
    var second = first
    (first[0], first[1], second[1]) = (2, 1, 4)
    let flow = try #require(Contract.shared.flows.first)
    var counts = CoverageCounts(first, steps: [flow: 2])
    counts.add(CoverageCounts(second, steps: [flow: 1]))
    #expect(Contract.shared.items.prefix(3).map { counts.count(of: $0) } == [2, 5, 0])
    #expect(counts.steps(of: Contract.shared.items[flow]) == 2)
    let again = try JSONDecoder().decode(CoverageCounts.self, from: try JSONEncoder().encode(counts))
    #expect(again == counts)
  }

  @Test("a percentage is 100 only when nothing is missing")
  func percent() {
    let all = Array(repeating: 1, count: Contract.shared.items.count)
    let full = CoverageReport(CoverageCounts(all, steps: [:]))
    #expect(full.percent == 100 && full.parts.count == 10 && full.parts.allSatisfy { $0.missing.isEmpty })
    var missing = all
    missing[7] = 0
    let report = CoverageReport(CoverageCounts(missing, steps: [:]))
    #expect(report.percent < 100 && report.touched == report.total - 1)
    #expect(report.text.contains(Contract.shared.items[7].name))
    let some = CoverageReport(
      CoverageCounts(missing, steps: [:]), editions: ["2024-10"], sections: ["operations", "codes"])
    #expect(some.parts.map(\.section) == ["operations", "codes"] && some.parts.allSatisfy { $0.edition == "2024-10" })
  }

  @Test("the page is well-formed and needs nothing else")
  func page() async throws {
    try await FaultScene.run { (scene) async throws in
      let answer = try await scene.world.call(.GET, "/_dev/coverage?format=html", key: nil)
      #expect(answer.headers.first(name: "Content-Type") == "text/html; charset=utf-8")
      let page = String(decoding: answer.body, as: UTF8.self)
      let parser = XMLParser(data: Data(page.utf8))
      #expect(parser.parse(), "\(String(describing: parser.parserError)) in line \(parser.lineNumber)")
      #expect(page.contains("createWorkspace") && page.contains("class=\"missing\""))
      #expect(!page.contains("src=") && !page.contains("<script") && !page.contains("<link"))
      let table = try await scene.world.call(.GET, "/_dev/coverage?format=text", key: nil)
      #expect(String(decoding: table.body, as: UTF8.self).hasPrefix("edition  section     touched  of      %\n"))
      #expect(try await scene.world.call(.GET, "/_dev/coverage?format=xml", key: nil).status == 400)
    }
  }

  @Test("a server's coverage includes all its worlds, also removed ones")
  func worlds() async throws {
    try await WorldCallsTests.run { dev in
      func operations() async throws -> [String: Any] {
        let counts = try await dev.call(.GET, "/_dev/coverage").object["counts"] as? [String: Any]
        let editions = counts?["editions"] as? [String: [String: [String: Any]]]
        return editions?["2024-10"]?["operations"] ?? [:]
      }
      for _ in 0..<2 {
        let made = try await dev.call(.POST, "/_dev/worlds", #"{"seed":"courtyard"}"#)
        let world = Caller(url: try #require(try made.object["url"] as? String))
        _ = try await world.signedIn("mina@example.com")
      }
      _ = try await dev.call(.DELETE, "/_dev/worlds/w1")
      let counted = try await operations()
      #expect(counted["signIn"] as? Int == 2 && counted.count == 1)
      #expect(try await dev.call(.DELETE, "/_dev/coverage").status == 200)
      #expect(try await operations().isEmpty)
      let one = try await dev.call(.GET, "/_dev/worlds/w2/coverage").object["counts"] as? [String: Any]
      #expect((one?["editions"] as? [String: Any])?.isEmpty == true)
    }
  }
}
