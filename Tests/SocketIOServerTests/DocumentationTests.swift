import Foundation
import SocketIOProtocol
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

  /// A page, or its part under a heading, and the programs that it shows.
  struct Listings: CustomTestStringConvertible, Sendable {
    let page: String
    var part: String?
    let programs: [String]

    var testDescription: String { page }

    static let all = [
      Listings(
        page: "Sources/SocketIOServer/SocketIOServer.docc/Tutorial.md",
        programs: ["SocketIOTutorial/First/main", "SocketIOTutorial/Server/main", "SocketIOTutorial/Client/Client"]),
      Listings(
        page: "Sources/SocketIOServer/SocketIOServer.docc/GettingStarted.md",
        part: "## On the port of an HTTP application", programs: ["SocketIOHummingbird/main"]),
      Listings(
        page: "Sources/SocketIOServer/SocketIOServer.docc/BinaryEvents.md", programs: ["SocketIOBinary/Server/main"]),
      Listings(
        page: "Sources/SocketIOClient/SocketIOClient.docc/BinaryEvents.md", programs: ["SocketIOBinary/Client/Client"]),
    ]
  }

  @Test("programs shown on a page are compiled, and shown completely", arguments: Listings.all)
  func listings(_ listings: Listings) throws {
    let programs = try listings.programs.map { try Self.text("Examples/\($0).swift") }
    var page = try Self.text(listings.page)
    if let part = listings.part { page = try #require(page.components(separatedBy: "\n\(part)\n").dropFirst().first) }
    let shown = page.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    for listing in shown where !listing.hasPrefix("// swift-tools-version") {
      #expect(programs.contains { $0.contains(listing) }, "\(listing)")
    }
    for block in programs.joined(separator: "\n").components(separatedBy: "\n\n") {
      #expect(page.contains(block.trimmingCharacters(in: .newlines)), "\(block)")
    }
  }

  @Test("the shortest program of the tutorial has fewer than ten lines")
  func shortest() throws {
    #expect(try Self.text("Examples/SocketIOTutorial/First/main.swift").split(separator: "\n").count < 10)
  }

  @Test("each disconnect reason is listed beside Node's", arguments: DisconnectReason.allCases)
  func reasons(reason: DisconnectReason) throws {
    for page in Page.all {
      #expect(try Self.text(page.path).contains("| \"\(reason.rawValue)\" |"), "\(page.path)")
    }
  }

  /// A page "Coming from Node", and the tests of its rows.
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
    "each supported call of Node has a test, and each omitted one a reason", arguments: Page.all)
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
