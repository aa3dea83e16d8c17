import Conformance
import Foundation
import MadangAPI
import NIOHTTP1
import Support
import Testing

/// Holds `docs/reference/wire-contract.md` against the OpenAPI documents, and against every place that cites it.
@Suite("The page of the wire contract", .timeLimit(.minutes(5)))
struct WireContractTests {
  private let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
  private let lines: [String]
  private let headings: Set<String>

  init() throws {
    let page = try String(contentsOf: root.appending(path: "docs/reference/wire-contract.md"), encoding: .utf8)
    lines = page.split(separator: "\n").map(String.init)
    headings = Set(lines.filter { $0.hasPrefix("#") }.map { String($0.drop { $0 == "#" }.dropFirst()) })
  }

  @Test("the page has the heading of each rule, and each heading of the rules is used")
  func rules() {
    #expect(Set(Section.allCases.map(\.rawValue)).subtracting(headings).sorted() == [])
    #expect(Set(Section.allCases).subtracting(Suite.rules.map(\.section)) == [])
  }

  @Test("the page has each heading that a comment, a test or another page cites")
  func citations() throws {
    let anchors = Set(headings.map(Self.anchor))
    var count = 0
    for folder in ["Benchmarks", "Examples", "Scripts", "Sources", "Tests", "docs"] {
      for path in try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
      where !path.contains(".build/") && !path.contains("Corpus/") {
        // Folders and files that are no text cite nothing.
        let file = root.appending(path: "\(folder)/\(path)")
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
        for heading in Self.cited(in: text) {
          count += 1
          #expect(headings.contains(heading), "\(folder)/\(path) cites '\(heading)'")
        }
        let isPage = path.hasSuffix("wire-contract.md")
        for link in Self.links(after: isPage ? "](#" : "wire-contract.md#", in: text) {
          #expect(anchors.contains(link), "\(folder)/\(path) links to '#\(link)'")
        }
      }
    }
    #expect(count >= 40)
  }

  @Test("the page has each call of the OpenAPI documents, with its path and codes", arguments: EditionName.allCases)
  func calls(_ edition: EditionName) throws {
    let operations = APIDescription.of(edition).operations
    let rows = try rows(of: edition)
    #expect(rows.keys.sorted() == operations.map(\.id).sorted())
    for operation in operations {
      guard let row = rows[operation.id] else { continue }
      #expect(row.call == "\(operation.method.rawValue) \(Self.plain(operation.template))", "\(operation.id)")
      let codes = Set(operation.codes)
      let everywhere: Set = ["E01", "E97", "E98", "E99"]
      let common = operation.isPublic ? everywhere : everywhere.union(["E02", "E03", "E05", "E06"])
      #expect(row.codes.subtracting(codes) == [], "\(operation.id)")
      #expect(codes.subtracting(common).subtracting(row.codes) == [], "\(operation.id)")
    }
  }

  /// One call as the page lists it.
  private struct Row {
    let call: String
    let codes: Set<String>
  }

  /// The calls of an edition by their operations.
  private func rows(of edition: EditionName) throws -> [String: Row] {
    var rows: [String: Row] = [:]
    for line in lines where line.hasPrefix("| `") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
      // Tables of other things have fewer columns.
      guard line.count(where: { $0 == "|" }) == 7 else { continue }
      let call = edition == .october2024 || cells[2] == "same" ? cells[1] : cells[2]
      guard call != "–" else { continue }
      let parts = call.split(separator: " ")
      try #require(parts.count == 2, "\(line)")
      let path = String(parts[1]).replacing("{w}", with: "/workspaces/{workspace}")
      // `E04 (2024-01)` is a code of that edition.
      let codes = cells.dropFirst(5).joined().split(separator: ", ").filter {
        !$0.contains("(") || $0.contains(edition.rawValue)
      }
      rows[cells[0]] = Row(
        call: "\(parts[0]) \(Self.plain(path.hasPrefix("/v2/") ? path : "/v1" + path))",
        codes: Set(codes.map { String($0.prefix(3)) }))
    }
    return rows
  }

  /// A path without the names of its parameters.
  private static func plain(_ template: String) -> String {
    template.split(separator: "/").map { $0.hasPrefix("{") ? "/{}" : "/\($0)" }.joined()
  }

  /// The headings of citations such as `wire contract, Dates; Cursors`.
  private static func cited(in text: String) -> [String] {
    text.components(separatedBy: "ire contract, ").dropFirst().filter { $0.first?.isUppercase == true }.flatMap {
      rest in
      rest.prefix { $0.isLetter || " -;".contains($0) }.split(separator: ";").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
    }
  }

  private static func links(after mark: String, in text: String) -> [String] {
    text.components(separatedBy: mark).dropFirst().map { rest in
      String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "-" })
    }.filter { !$0.isEmpty }
  }

  /// A heading as a link names it.
  private static func anchor(_ heading: String) -> String {
    String(heading.lowercased().map { $0 == " " ? "-" : $0 })
  }
}
