import Foundation
import MadangDevelopment
import NIOHTTP1
import Support
import Testing

@Suite("People and seeds on both engines", .timeLimit(.minutes(5)))
struct PeopleOnEnginesTests {
  @Test("people are found by name, act, start scripts, and are exported as a seed", arguments: TestEngine.available)
  func all(_ engine: TestEngine) async throws {
    try await FaultScene.run(engine) { scene in
      _ = try await scene.world.signUp("Joon")
      let dev = Caller(url: scene.world.url)
      let workspaces = try await dev.call(.GET, "/_dev/people").list.map { $0["workspaces"] as? [String] ?? [] }
      let name = try #require(workspaces.first?.first)
      #expect(workspaces == [[name], []])
      #expect(try await dev.call(.GET, "/_dev/people/mina/v1/workspaces").list.count == 1)
      func act(_ person: String, _ act: String, _ body: String) async throws {
        let answer = try await dev.call(.POST, "/_dev/people/\(person)/\(act)", body)
        #expect(answer.status == 200, "\(answer.body)")
      }
      try await act("joon", "join", #"{"in":"\#(name)"}"#)
      try await act("joon", "join", #"{"in":"\#(name)/ios"}"#)
      try await scene.kit.scripts.add(
        try Script.read(
          "{name: s, start: true, times: 2, when: {chat: {from: joon}}, do: [{as: mina, post: 'to {text}'}]}"))
      try await act("joon", "post", #"{"in":"\#(name)/ios","text":"one","files":1}"#)
      try await act("joon", "post", #"{"to":"mina","text":"two"}"#)
      let report = try await scene.kit.scripts.report(of: "s", within: .seconds(20))
      #expect(report.state == .ended && report.failed == 0, "\(report)")
      #expect(try await scene.contents() == ["one", "to one"])
      try await act("joon", "leave", #"{"in":"\#(name)"}"#)
      let text = try await dev.call(.GET, "/_dev/seed").body
      let counts = try Seed(text).contents()
      #expect(counts.people == 2 && counts.workspaces == 1 && counts.channels == 2 && counts.chats == 4, "\(text)")
      #expect(text.contains("members: [{who: joon, left: true}]") && text.contains("text: \"to two\""), "\(text)")
    }
  }
}
