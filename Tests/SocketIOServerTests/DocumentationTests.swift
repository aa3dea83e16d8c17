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

  @Test("what the tutorial shows is compiled, and its shortest program has fewer than ten lines")
  func tutorial() throws {
    let programs = try ["First/main", "Server/main", "Client/Client"].map {
      try Self.text("Examples/SocketIOTutorial/\($0).swift")
    }
    let page = try Self.text("Sources/SocketIOServer/SocketIOServer.docc/Tutorial.md")
    let listings = page.components(separatedBy: "```swift\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
    #expect(listings[0].hasPrefix("// swift-tools-version"))
    for listing in listings.dropFirst() {
      #expect(programs.contains { $0.contains(listing) }, "\(listing)")
    }
    #expect(programs[0].split(separator: "\n").count < 10)
    // Nothing of the programs is missing.
    for block in programs.joined(separator: "\n").components(separatedBy: "\n\n") {
      #expect(page.contains(block.trimmingCharacters(in: .newlines)), "\(block)")
    }
  }

  /// A page "Coming from Node", and the tests that hold its rows.
  struct Page: CustomTestStringConvertible, Sendable {
    let path: String
    let leastRows: Int
    let tests: [String: String]

    var testDescription: String { path }

    /// The first call of each row, and whether it is done.
    func rows() throws -> [(call: String, isDone: Bool)] {
      try DocumentationTests.text(path).split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
        let cells = line.split(separator: " | ").map { $0.trimmingCharacters(in: .whitespaces) }
        let call = line.split(separator: "`")[1]
        return (String(call), cells.last?.hasPrefix("done") ?? false)
      }
    }

    static let all = [
      Page(path: "Sources/SocketIOServer/SocketIOServer.docc/FromNode.md", leastRows: 60, tests: NodeCalls.tests),
      Page(path: "Sources/SocketIOClient/SocketIOClient.docc/FromNode.md", leastRows: 70, tests: NodeClientCalls.tests),
    ]
  }

  @Test(
    "each call of Node's that is said to be there has a test, and each that is left out a reason", arguments: Page.all)
  func calls(page: Page) throws {
    let tests = FileManager.default
    let folders = ["Tests/SocketIOServerTests", "Tests/SocketIOPostgresTests", "Tests/SocketIOClientTests"]
    let files = try folders.flatMap { folder in
      try tests.contentsOfDirectory(atPath: Self.root.appending(path: folder).path())
        .filter { $0.hasSuffix("Tests.swift") }.map { try Self.text("\(folder)/\($0)") }
    }
    let rows = try page.rows()
    #expect(rows.count > page.leastRows)
    for (call, isDone) in rows where isDone {
      let test = try #require(page.tests[call], "no test for \(call)")
      #expect(files.contains { $0.contains("\"\(test)") }, "the test for \(call) is gone")
    }
    #expect(Set(page.tests.keys) == Set(rows.filter(\.isDone).map(\.call)))
    for line in try Self.text(page.path).split(separator: "\n") where line.hasPrefix("| `") {
      #expect(line.hasSuffix("| done |") || line.contains("| left out: "), "\(line)")
    }
  }
}
