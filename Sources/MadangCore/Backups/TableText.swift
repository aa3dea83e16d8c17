import Foundation
import Storage
import Synchronization

/// Rows as text, in the format of PostgreSQL's COPY: one line per row, tabs between values, `\N` for null, and a backslash before
/// characters with a special meaning.
enum TableText {
  private static let tab = UInt8(ascii: "\t")
  private static let newline = UInt8(ascii: "\n")
  private static let backslash = UInt8(ascii: "\\")
  private static let escapes: [(byte: UInt8, letter: UInt8)] = [
    (backslash, backslash), (tab, UInt8(ascii: "t")), (newline, UInt8(ascii: "n")),
    (UInt8(ascii: "\r"), UInt8(ascii: "r")),
  ]

  static func append(_ values: [SQLValue], to bytes: inout [UInt8]) {
    for (index, value) in values.enumerated() {
      if index > 0 { bytes.append(tab) }
      switch value {
      case .null: bytes += [backslash, UInt8(ascii: "N")]
      case .integer(let number): bytes += String(number).utf8
      case .real(let number): bytes += String(number).utf8
      case .text(let text): append(text, to: &bytes)
      }
    }
    bytes.append(newline)
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    for byte in text.utf8 {
      if byte > backslash || byte >= 0x20 && byte != backslash {
        bytes.append(byte)
      } else if let escape = escapes.first(where: { $0.byte == byte }) {
        bytes += [backslash, escape.letter]
      } else {
        bytes.append(byte)
      }
    }
  }

  /// Splits a line into fields, at most `count` + 1 of them.
  static func fields(_ line: ArraySlice<UInt8>, count: Int) -> [ArraySlice<UInt8>] {
    line.split(separator: tab, maxSplits: count, omittingEmptySubsequences: false)
  }

  /// Parses a line without its newline; nil if it is not a row of these columns.
  static func values(_ line: ArraySlice<UInt8>, _ columns: [BackupManifest.Column]) -> [SQLValue]? {
    let fields = fields(line, count: columns.count)
    guard fields.count == columns.count else { return nil }
    var values: [SQLValue] = []
    values.reserveCapacity(fields.count)
    for (field, column) in zip(fields, columns) {
      guard let value = value(field, column.type) else { return nil }
      values.append(value)
    }
    return values
  }

  private static func value(_ field: ArraySlice<UInt8>, _ type: BackupManifest.Column.Kind) -> SQLValue? {
    if field.elementsEqual([backslash, UInt8(ascii: "N")]) { return .null }
    switch type {
    case .integer: return Int64(String(decoding: field, as: UTF8.self)).map(SQLValue.integer)
    case .text:
      guard field.contains(backslash) else { return String(validating: field, as: UTF8.self).map(SQLValue.text) }
      return unescaped(field).flatMap { String(validating: $0, as: UTF8.self) }.map(SQLValue.text)
    }
  }

  private static func unescaped(_ field: ArraySlice<UInt8>) -> [UInt8]? {
    var (bytes, isEscaped) = ([UInt8](), false)
    bytes.reserveCapacity(field.count)
    for byte in field {
      if isEscaped {
        guard let escape = escapes.first(where: { $0.letter == byte }) else { return nil }
        bytes.append(escape.byte)
        isEscaped = false
      } else if byte == backslash {
        isEscaped = true
      } else {
        bytes.append(byte)
      }
    }
    return isEscaped ? nil : bytes
  }
}

/// Reads the rows of a table's file one by one. Memory use does not grow with their number, and the length of lines is limited. Calls
/// block. Throws ``BackupProblem``.
final class TableReader: Sendable {
  /// The numbers that rows may contain: the integers that JSON holds exactly. Madang gives no others, and calculates with them.
  static let numbers: ClosedRange<Int64> = -(1 << 53)...(1 << 53)

  /// Longest line in bytes, without its newline. The longest that madang writes, a chat of 10,000 characters, has a tenth of this.
  static let longestLine = 8 << 20
  /// A page ends when its lines have this many bytes.
  static let pageSize = 1 << 20

  private struct State {
    var bytes: [UInt8] = []
    /// The index of the first byte that was not returned yet.
    var start = 0
    var line = 0
  }

  private let file: InputFile
  private let path: String
  private let columns: [BackupManifest.Column]
  /// The indexes of columns that contain paths of stored files.
  private let paths: [Int]
  private let state = Mutex(State())

  init(_ table: BackupManifest.Table, in folder: URL) throws {
    file = try InputFile(folder.appending(path: table.path))
    path = folder.appending(path: table.path).path
    columns = table.columns
    let held = FileStore.pathColumns.filter { $0.table == table.name }.map(\.column)
    paths = table.columns.indices.filter { held.contains(table.columns[$0].name) }
  }

  /// The next rows, at most `count`, and fewer if they are long; empty after the last.
  func next(_ count: Int) throws -> [[SQLValue]] {
    try state.withLock { state in
      var rows: [[SQLValue]] = []
      var size = 0
      while rows.count < count, size < Self.pageSize, let line = try nextLine(&state) {
        size += line.count
        guard let values = TableText.values(line, columns) else {
          throw BackupProblem("line \(state.line) of \(path) is not a row of its table")
        }
        if let number = values.lazy.compactMap(Self.integer).first(where: { !Self.numbers.contains($0) }) {
          throw BackupProblem("line \(state.line) of \(path) has the number \(number), which madang never uses")
        }
        for index in paths {
          guard case .text(let text) = values[index], !FileStore.isPath(text) else { continue }
          throw BackupProblem(
            "line \(state.line) of \(path) names a file outside the folders of files; madang writes no such backup")
        }
        rows.append(values)
      }
      return rows
    }
  }

  private static func integer(_ value: SQLValue) -> Int64? {
    guard case .integer(let number) = value else { return nil }
    return number
  }

  private func nextLine(_ state: inout State) throws -> ArraySlice<UInt8>? {
    var searched = state.start
    while true {
      let end = state.bytes[searched...].firstIndex(of: UInt8(ascii: "\n"))
      guard (end ?? state.bytes.count) - state.start <= Self.longestLine else {
        throw BackupProblem(
          "line \(state.line + 1) of \(path) has more than \(Self.longestLine) bytes, so it is not a row")
      }
      if let end {
        defer { state.start = end + 1 }
        state.line += 1
        return state.bytes[state.start..<end]
      }
      state.bytes.removeFirst(state.start)
      state.start = 0
      searched = state.bytes.count
      let more = try file.next()
      guard !more.isEmpty else {
        guard state.bytes.isEmpty else { throw BackupProblem("\(path) ends within a row") }
        return nil
      }
      state.bytes += more
    }
  }
}
