import Conformance
import Foundation
import MadangAPI
import Testing

/// `Scripts/conformance --write` writes the folder.
@Suite("Our own results in conformance/")
struct OwnResultsTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../conformance")

  private static func outcomes() throws -> [Outcome] {
    try String(contentsOf: folder.appending(path: "results.jsonl"), encoding: .utf8).split(separator: "\n").map {
      try JSONDecoder().decode(Outcome.self, from: Data($0.utf8))
    }
  }

  @Test("they are of the present rules, each in its editions, and all passed")
  func present() throws {
    let written = try Self.outcomes()
    let rules = Suite.rules.flatMap { rule in
      rule.editions.map { "\(rule.id) \($0.rawValue) \(rule.section.rawValue): \(rule.sentence)" }
    }
    #expect(Set(written.map { "\($0.rule) \($0.edition) \($0.section): \($0.sentence)" }) == Set(rules))
    #expect(written.count == rules.count)
    #expect(written.filter { $0.outcome != .passed }.map(\.rule) == [])
  }

  @Test("the pages and the badge show these results")
  func pages() throws {
    let files = Pages(try Self.outcomes()).files
    #expect(files.map(\.name).sorted() == ["2024-01.md", "2024-10.md", "README.md", "badge.svg"])
    for file in files {
      let written = try? String(contentsOf: Self.folder.appending(path: file.name), encoding: .utf8)
      #expect(written == file.text, "\(file.name): run Scripts/conformance --write")
    }
  }
}
