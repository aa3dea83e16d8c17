import Foundation
import MadangAPI
import Testing

/// Who calls: a column of `docs/reference/authorisation.md`.
enum Role: String, CaseIterable, Sendable {
  case nobody
  case wrongKey = "wrong key"
  case otherEdition = "other edition"
  case expired
  case refreshToken = "refresh token"
  case expiredRefreshToken = "expired refresh token"
  case stranger
  case unconfirmed
  case pending
  case member
  case channelMember = "channel member"
  case channelOwner = "channel owner"
  case owner

  /// Callers with a valid token.
  static let people: [Role] = [.stranger, .unconfirmed, .pending, .member, .channelMember, .channelOwner, .owner]
}

/// One of the tables in `docs/reference/authorisation.md`, as people read it.
struct AuthorisationTable {
  struct Row {
    /// What stands before the cells, the edition aside.
    let labels: [String]
    /// An edition's name, or `both`.
    let edition: String
    let cells: [Role: String]
  }

  let rows: [Row]

  /// Reads the table below a heading.
  init(_ heading: String) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../docs/reference/authorisation.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let section = try #require(text.components(separatedBy: "\n## ").first { $0.hasPrefix(heading + "\n") })
    let lines = section.split(separator: "\n").filter { $0.hasPrefix("|") }.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let columns = Role.allCases.map(\.rawValue)
    let head = try #require(lines.first)
    try #require(Array(head.suffix(columns.count)) == columns)
    rows = try lines.dropFirst(2).map { line in
      try #require(line.count == head.count, "\(line)")
      let cells = zip(Role.allCases, line.suffix(columns.count))
      let labels = line.dropLast(columns.count)
      return Row(
        labels: labels.dropLast(), edition: try #require(labels.last), cells: Dictionary(uniqueKeysWithValues: cells))
    }
  }

  func rows(of edition: EditionName) -> [Row] { rows.filter { [edition.rawValue, "both"].contains($0.edition) } }
}
