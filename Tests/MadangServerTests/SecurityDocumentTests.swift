import Foundation
import Testing

/// `docs/security.md` says of each requirement of OWASP ASVS whether it is met, and which tests show it.
@Suite("The page on security", .timeLimit(.minutes(3)))
struct SecurityDocumentTests {
  /// One row of its tables of requirements.
  private struct Row {
    let requirements: [String]
    let status: String
    let reason: String
  }

  private let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
  private let page: String

  init() throws {
    page = try String(contentsOf: root.appending(path: "docs/security.md"), encoding: .utf8)
  }

  /// The tests that a text names as `Suite/function`.
  private func named(in text: String) -> [String] {
    text.matches(of: /`([A-Z]\w*Tests\/\w+)`/).map { String($0.1) }
  }

  /// All tests there are, as `Suite/function`.
  private func tests() throws -> Set<String> {
    var tests: Set<String> = []
    let folder = root.appending(path: "Tests")
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix(".swift") {
      let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
      var suite = ""
      var isTest = false
      for line in text.split(separator: "\n") {
        if !line.hasPrefix(" "), let match = line.firstMatch(of: /struct (\w+)/) { suite = String(match.1) }
        if line.hasPrefix("  @Test") { isTest = true }
        guard line.hasPrefix("  func ") else { continue }
        if isTest { tests.insert("\(suite)/\(line.dropFirst(7).prefix { $0 != "(" })") }
        isTest = false
      }
    }
    return tests
  }

  private func rows() throws -> [Row] {
    let lines = page.split(separator: "\n").filter { $0.hasPrefix("| ") && $0.dropFirst(2).first?.isNumber == true }
    return try lines.map { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      try #require(cells.count == 5, "\(line)")
      return Row(requirements: cells[0].components(separatedBy: ", "), status: cells[3], reason: cells[4])
    }
  }

  @Test("the tests and files that the page names are there")
  func names() throws {
    let tests = try tests()
    let names = Set(named(in: page))
    #expect(!names.isEmpty)
    for name in names.sorted() { #expect(tests.contains(name), "there is no test \(name)") }
    for match in page.matches(of: /`((?:Sources|Tests|Scripts)\/[^`]+)`/) {
      let path = root.appending(path: String(match.1)).path
      #expect(FileManager.default.fileExists(atPath: path), "there is no \(match.1)")
    }
  }

  @Test("every requirement of the levels 1 and 2 has one answer, and what is met names a test")
  func requirements() throws {
    let rows = try rows()
    for row in rows {
      #expect(["met", "argued", "open", "not applicable"].contains(row.status), "\(row.requirements)")
      #expect(!row.reason.isEmpty, "\(row.requirements)")
      if row.status == "met" { #expect(!named(in: row.reason).isEmpty, "\(row.requirements)") }
    }
    let requirements = rows.flatMap(\.requirements)
    // ASVS 5.0.0 has 70 of level 1 and 183 of level 2.
    #expect(requirements.count == 253)
    #expect(Set(requirements).count == requirements.count)
  }
}
