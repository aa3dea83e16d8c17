import Foundation
import Testing

@Suite("Documentation")
struct DocumentationTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  @Test("the README shows the example that is compiled, and it has about thirty lines")
  func example() throws {
    let example = try Self.text("Examples/SocketIOExample/Example.swift")
    #expect(try Self.text("README.md").contains("```swift\n\(example)```"))
    #expect(example.split(separator: "\n").count <= 32)
  }

  /// The rows of "Coming from Node": the first call of each, and whether it is done.
  private static func rows() throws -> [(call: String, isDone: Bool)] {
    let page = try text("Sources/SocketIOServer/SocketIOServer.docc/FromNode.md")
    return page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
      let cells = line.split(separator: " | ").map { $0.trimmingCharacters(in: .whitespaces) }
      let call = line.split(separator: "`")[1]
      return (String(call), cells.last?.hasPrefix("done") ?? false)
    }
  }

  @Test("each call of Node's that is said to be there has a test, and each that is left out a reason")
  func calls() throws {
    let tests = FileManager.default
    let files = try ["Tests/SocketIOServerTests", "Tests/SocketIOPostgresTests"].flatMap { folder in
      try tests.contentsOfDirectory(atPath: Self.root.appending(path: folder).path())
        .filter { $0.hasSuffix("Tests.swift") }.map { try Self.text("\(folder)/\($0)") }
    }
    let rows = try Self.rows()
    #expect(rows.count > 60)
    for (call, isDone) in rows where isDone {
      let test = try #require(NodeCalls.tests[call], "no test for \(call)")
      #expect(files.contains { $0.contains("\"\(test)") }, "the test for \(call) is gone")
    }
    #expect(Set(NodeCalls.tests.keys) == Set(rows.filter(\.isDone).map(\.call)))
    let page = try Self.text("Sources/SocketIOServer/SocketIOServer.docc/FromNode.md")
    for line in page.split(separator: "\n") where line.hasPrefix("| `") {
      #expect(line.hasSuffix("| done |") || line.contains("| left out: "), "\(line)")
    }
  }
}
