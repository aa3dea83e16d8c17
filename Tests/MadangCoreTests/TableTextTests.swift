import Foundation
import Storage
import Testing

@testable import MadangCore

@Suite("Rows of backups as text") struct TableTextTests {
  private let columns: [BackupManifest.Column] = [
    .init(name: "id", type: .integer), .init(name: "note", type: .text), .init(name: "other", type: .text),
  ]

  private func line(_ values: [SQLValue]) -> [UInt8] {
    var bytes: [UInt8] = []
    TableText.append(values, to: &bytes)
    return bytes
  }

  @Test("every row is read back unchanged from a line of its own")
  func roundTrip() {
    var generator = SystemRandomNumberGenerator()
    let parts = ["\\", "\t", "\n", "\r", "N", "n", "t", "\\N", "", " ", "\u{1}", "\u{7f}", "é", "한", "🐻‍❄️", "\u{2028}"]
    func text() -> SQLValue {
      .text(
        (0..<Int.random(in: 0...6, using: &generator)).map { _ in parts.randomElement(using: &generator) ?? "" }
          .joined())
    }
    for _ in 0..<5000 {
      let number = SQLValue.integer(.random(in: .min ... .max, using: &generator))
      let values = [Bool.random() ? number : .null, text(), Bool.random() ? text() : .null]
      let bytes = line(values)
      #expect(bytes.filter { $0 == UInt8(ascii: "\n") }.count == 1 && bytes.last == UInt8(ascii: "\n"))
      #expect(TableText.values(bytes.dropLast(), columns) == values)
    }
  }

  @Test("the text equals the output of PostgreSQL's COPY")
  func copyFormat() {
    #expect(
      line([.integer(-7), .text("a\tb\\c\nd\r"), .null]) == Array("-7\ta\\tb\\\\c\\nd\\r\t\\N\n".utf8))
  }

  @Test(
    "a line that is not a row of the table is refused",
    arguments: [
      "", "1\ta", "1\ta\tb\tc", "x\ta\tb", "1.5\ta\tb", "9223372036854775808\ta\tb", "1\ta\\x\tb", "1\ta\tb\\",
    ])
  func refused(_ text: String) {
    #expect(TableText.values(Array(text.utf8)[...], columns) == nil)
  }

  @Test("a line is split into no more fields than a row has, for any number of tabs")
  func tabs() {
    let line = [UInt8](repeating: UInt8(ascii: "\t"), count: 1 << 20)
    #expect(TableText.fields(line[...], count: columns.count).count == columns.count + 1)
    #expect(TableText.values(line[...], columns) == nil)
  }

  private func withReader(_ write: (URL) throws -> Void, _ body: (TableReader) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-rows-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder.appending(path: "tables"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let table = BackupManifest.Table(name: "notes", columns: columns, rows: 0, bytes: 0, sha256: "", lastNumber: nil)
    try write(folder.appending(path: table.path))
    try body(TableReader(table, in: folder))
  }

  @Test("a line without an end is read up to the longest allowed length, and refused")
  func endless() throws {
    try withReader { file in
      // A sparse file of one terabyte: read to its end it would not fit into memory.
      #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
      try FileHandle(forWritingTo: file).truncate(atOffset: 1 << 40)
    } _: { reader in
      let error = #expect(throws: BackupProblem.self) { _ = try reader.next(10) }
      #expect(error?.description.contains("line 1 of ") == true)
      #expect(error?.description.contains("has more than \(TableReader.longestLine) bytes") == true)
    }
  }

  @Test("rows of all lengths are read back, long ones in small pages")
  func lengths() throws {
    let texts = [0, 1, 1 << 20, (1 << 20) - 4, 3 << 20, 7, TableReader.longestLine - 5].map {
      String(repeating: "x", count: $0)
    }
    try withReader { file in
      var bytes: [UInt8] = []
      for (index, text) in texts.enumerated() { bytes += line([.integer(Int64(index)), .text(text), .null]) }
      try Data(bytes).write(to: file)
    } _: { reader in
      var read: [[SQLValue]] = []
      while case let page = try reader.next(500), !page.isEmpty {
        #expect(page.dropLast().reduce(0) { $0 + line($1).count - 1 } < TableReader.pageSize)
        read += page
      }
      #expect(read == texts.enumerated().map { [.integer(Int64($0)), .text($1), .null] })
    }
  }

  @Test("text that is not UTF-8 is refused")
  func encoding() {
    #expect(TableText.values([0x31, 0x09, 0xFF, 0x09, 0x61], columns) == nil)
  }

  @Test(
    "only paths in the server's own form are accepted from a backup",
    arguments: [
      ("profiles/1_abc.png", true), ("channelChats/x.pdf", true), ("../secrets/x", false), ("profiles/../x", false),
      ("/profiles/x", false), ("profiles/a/b", false), ("profiles/", false), ("profiles/.x", false),
      ("other/x.png", false), ("profiles", false), ("profiles/a/\u{301}b", false), ("profiles/a\0b", false),
    ])
  func paths(_ path: String, _ isTaken: Bool) {
    #expect(FileStore.isPath(path) == isTaken)
  }
}
