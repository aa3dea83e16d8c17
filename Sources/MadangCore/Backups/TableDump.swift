import Foundation
import Logging
import Storage

extension Transaction {
  /// Writes all rows of a table, ordered by its key, to a file in `folder`. Replaces an existing file.
  func dump(_ table: Schema.Table, to folder: URL, _ pace: Pace, _ dialect: Dialect, progress: (Int) -> Void) throws
    -> BackupManifest.Table
  {
    let url = folder.appending(path: "tables/\(table.name).tsv")
    // A read that lost its connection starts again from the beginning.
    try? FileManager.default.removeItem(at: url)
    var file = try OutputFile(url)
    var rows = 0
    var rests = Rests(pace)
    try forEachRow(of: table) { row in
      try file.append { bytes in
        let start = bytes.count
        TableText.append(row.values, to: &bytes)
        guard bytes.count - start - 1 <= TableReader.longestLine else {
          throw BackupProblem(
            "row \(rows + 1) of \(table.name) is too long for a backup; the database was changed by another program "
              + "than madang")
        }
      }
      rows += 1
      if rows.isMultiple(of: 1000) { progress(1000) }
      rests.rest()
    }
    progress(rows % 1000)
    let digest = try file.finish()
    return BackupManifest.Table(
      name: table.name, columns: table.columns.map(BackupManifest.Column.init), rows: rows, bytes: digest.size,
      sha256: digest.hex, lastNumber: try table.isNumbered ? lastNumber(of: table.name, dialect) : nil)
  }
}

extension BackupManifest.Table {
  /// Rows per INSERT statement, which has a parameter for each value.
  private var rowsAtATime: Int { max(1, 1000 / columns.count) }

  /// Inserts all rows into the empty table and continues its numbering where it was. Throws ``BackupProblem`` if the table is not empty, or
  /// if rows are missing afterwards.
  func load(from folder: URL, in transaction: Transaction, _ dialect: Dialect, progress: (Int) -> Void) throws {
    guard try !transaction.hasRows(name) else {
      throw BackupProblem("the database is not empty: the table \(name) has rows")
    }
    let columns = columns.map { Schema.Column(name: $0.name, type: $0.type == .integer ? .integer : .text) }
    let reader = try TableReader(self, in: folder)
    while case let page = try reader.next(rowsAtATime), !page.isEmpty {
      try transaction.execute(.insert(into: name, columns, rows: page))
      progress(page.count)
    }
    let loaded = try transaction.rowCount(of: name)
    guard loaded == rows else {
      throw BackupProblem("the table \(name) has \(loaded) rows after loading, but \(rows) in the backup")
    }
    guard let lastNumber else { return }
    for statement in dialect.countOn(name, after: lastNumber) { _ = try transaction.first(statement) { _ in true } }
  }
}
