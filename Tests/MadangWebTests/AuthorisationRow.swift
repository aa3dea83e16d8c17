import Foundation
import NIOHTTP1
import Testing

/// A row of a table in `docs/reference/authorisation.md`.
struct AuthorisationRow {
  /// What stands before the call; empty for a table that begins with it.
  let name: String
  let method: HTTPMethod
  let path: String
  /// By column.
  let answers: [String: String]

  /// The rows of the table below a heading.
  /// - Parameter at: The column of the calls.
  static func all(under heading: String, callsIn at: Int) throws -> [AuthorisationRow] {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../docs/reference/authorisation.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let section = try #require(text.components(separatedBy: "\n## ").first { $0.hasPrefix("\(heading)\n") })
    let table = section.split(separator: "\n").filter { $0.hasPrefix("| ") && $0.count { $0 == "|" } > 4 }.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let head = try #require(table.first)
    return try table.dropFirst(2).map { cells in
      try #require(cells.count == head.count)
      let call = cells[at].split(separator: " ").map(String.init)
      try #require(call.count == 2)
      return AuthorisationRow(
        name: at > 0 ? cells[0] : "", method: HTTPMethod(rawValue: call[0]), path: call[1],
        answers: Dictionary(uniqueKeysWithValues: zip(head, cells).dropFirst(at + 1)))
    }
  }
}
