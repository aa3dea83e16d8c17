import Foundation
import SocketIOClient
import SocketIOServer
import SocketIOSupport
import Testing

/// The program of "Coming from Node".
@Suite("The program in both languages", .timeLimit(.minutes(5)))
struct ProgramTests {
  @Test("the program in both languages in Coming from Node runs, and receives the events that Node's would")
  func program() async throws {
    let chat: Rig.Declaration = { handlers, notes in
      handlers.use { request, _ in
        notes.add(String(decoding: request.auth, as: UTF8.self))
      }
      handlers.on("say", as: String.self) { socket, text, acknowledge in
        try? socket.emit("said", "server", text)
        try? acknowledge?("heard \(text)")
      }
    }
    try await Rig.with(.changed { _ in }, chat) { (rig) async throws in
      let url = rig.url
      let notes = rig.notes
      @Sendable func freshToken() async throws -> [UInt8] { json(#"{"token":"secret"}"#) }
      @Sendable func show(_ text: String) { notes.add(text) }
      // The page begins here.
      var configuration = SocketIOClient.Configuration()
      configuration.retries = 3
      configuration.ackTimeout = .seconds(10)
      let client = try SocketIOClient(url: url, configuration: configuration)
      async let running: Void = client.run()
      let said = await client.events("said", as: String.self, String.self)
      try await client.connect(credentials: { try await freshToken() })
      async let listening: Void = {
        for try await (name, text) in said { show("\(name): \(text)") }
      }()
      try await client.emit("typing", "mina", isVolatile: true)
      let answer = try await client.emit("say", "hello", acknowledgedWithin: nil, as: String.self)
      show(answer)
      await client.close()
      try await listening
      await running
      // The page ends here.
      #expect(Set(rig.notes.all) == [#"{"token":"secret"}"#, "server: hello", "heard hello"])
    }
  }

  @Test("the page shows this program, and Getting started shows the compiled example")
  func pages() throws {
    let here = URL(filePath: #filePath)
    let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    func text(_ path: String) throws -> String {
      try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
    let source = try String(contentsOf: here, encoding: .utf8)
    let marks = ["      // The page begins here.\n", "      // The page ends here.\n"]
    let program = try #require(
      source.components(separatedBy: marks[0]).dropFirst().first?.components(separatedBy: marks[1]).first)
    let shown = program.split(separator: "\n").map { $0.dropFirst(6) }.joined(separator: "\n")
    let pages = "Sources/SocketIOClient/SocketIOClient.docc"
    #expect(try text("\(pages)/FromNode.md").contains("```swift\n\(shown)\n```"))
    let example = try text("Examples/SocketIOClientExample/Example.swift")
    #expect(try text("\(pages)/GettingStarted.md").contains("```swift\n\(example)```"))
  }
}
