import Foundation
import Testing

@testable import madang

@Suite("JSON and text for terminals")
struct PrintableJSONTests {
  @Test("signs that control a terminal or turn a line are escaped, and the JSON stays equal")
  func escapes() throws {
    let signs = "\u{7F}\u{85}\u{9B}31m\u{61C}\u{200E}\u{200F}\u{2028}\u{202E}\u{2066}\u{2069}"
    let texts = ["plain", "한글 é 😀👩\u{200D}👧", "a\(signs)b", "\u{1B}[2J", #"quote " and \ "#]
    let json = try JSONEncoder().encode(texts)
    let escaped = PrintableJSON.escaped(json)
    #expect(try JSONDecoder().decode([String].self, from: Data(escaped)) == texts)
    let shown = String(decoding: escaped, as: UTF8.self).unicodeScalars
    #expect(!shown.contains { signs.unicodeScalars.filter { !$0.isASCII || $0.value == 0x7F }.contains($0) })
    #expect(!shown.contains { $0.properties.generalCategory == .control })
    #expect(String(shown).contains(#"\u009b31m"#) && String(shown).contains("한글 é 😀👩\u{200D}👧"))
  }

  @Test("text for terminals loses signs that control one or turn a line around, and keeps the rest")
  func text() {
    let kept = "한글 é 😀👩\u{200D}👧\t\u{200F}שלום\n"
    #expect(kept.printable == kept)
    #expect("a\u{1B}[2J\u{9B}m\r\u{7F}\u{2028}\u{202E}b\u{2066}c\u{2069}".printable == "a�[2J�m����b�c�")
  }
}
