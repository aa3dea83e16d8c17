import Conformance
import Foundation
import MadangAPI
import Testing

@Suite("Sections of the contract")
struct SectionTests {
  @Test("docs/reference/conformance.md says what each section is about that a rule names")
  func explained() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../docs/reference/conformance.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let table = try #require(text.components(separatedBy: "## Sections of the contract").last)
    let explained = table.matches(of: #/(?m)^\| ((?:README|edition-|client-|Engine)[^|]*) \|/#).map { String($0.1) }
    #expect(explained.count == Set(explained).count)
    // In a rule of both editions `edition` stands for the one that is tried.
    let named = Set(
      Suite.rules(matching: []).flatMap { rule in
        rule.editions.flatMap { edition in
          sections(of: rule.section.replacing(#/^edition /#, with: "edition-\(edition.rawValue) "))
        }
      })
    #expect(named.subtracting(explained).sorted() == [])
  }

  /// `edition-2024-10 3, 6` names two sections; `client-behaviours T2` is of the section T.
  private func sections(of text: String) -> [String] {
    let parts = text.split(separator: " ", maxSplits: 1)
    return parts.last?.split(separator: ", ").map { number in
      "\(parts[0]) \(parts[0] == "client-behaviours" ? number.prefix(1) : number)"
    } ?? []
  }
}
