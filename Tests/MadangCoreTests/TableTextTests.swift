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

  @Test("every row comes back as it was, on one line of its own")
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

  @Test("it is what COPY of PostgreSQL writes")
  func copyFormat() {
    #expect(
      line([.integer(-7), .text("a\tb\\c\nd\r"), .null]) == Array("-7\ta\\tb\\\\c\\nd\\r\t\\N\n".utf8))
  }

  @Test(
    "what is no row of the table is refused",
    arguments: [
      "", "1\ta", "1\ta\tb\tc", "x\ta\tb", "1.5\ta\tb", "9223372036854775808\ta\tb", "1\ta\\x\tb", "1\ta\tb\\",
    ])
  func refused(_ text: String) {
    #expect(TableText.values(Array(text.utf8)[...], columns) == nil)
  }

  @Test("text that is not UTF-8 is refused")
  func encoding() {
    #expect(TableText.values([0x31, 0x09, 0xFF, 0x09, 0x61], columns) == nil)
  }

  @Test(
    "only paths that the server makes are taken from a backup",
    arguments: [
      ("profiles/1_abc.png", true), ("channelChats/x.pdf", true), ("../secrets/x", false), ("profiles/../x", false),
      ("/profiles/x", false), ("profiles/a/b", false), ("profiles/", false), ("profiles/.x", false),
      ("other/x.png", false), ("profiles", false), ("profiles/a/\u{301}b", false), ("profiles/a\0b", false),
    ])
  func paths(_ path: String, _ isTaken: Bool) {
    #expect(FileStore.isPath(path) == isTaken)
  }
}
