import Foundation
import Testing

@testable import MadangCore

@Suite("Rules for text")
struct TextRulesTests {
  @Test("lengths count characters as people see them", arguments: ["👨‍👩‍👧‍👦", "각", "e\u{301}", "🇰🇷"])
  func characters(_ character: String) throws {
    let name = try TextRules.name(String(repeating: character, count: 30), "name")
    #expect(name.count == 30)
    #expect(throws: Failure.self) { try TextRules.name(String(repeating: character, count: 31), "name") }
  }

  @Test("a letter with endless combining marks is not a name, even if it counts as few characters")
  func combiningMarks() {
    let letter = "a" + String(repeating: "\u{301}", count: 100_000)
    let rules: [(String) throws -> String] = [
      { try TextRules.name($0) }, TextRules.nickname, TextRules.channelName, TextRules.description, TextRules.keyword,
      TextRules.note, { try TextRules.newPassword("Passw0rd!" + $0) }, { try TextRules.content($0, maxLength: 10_000) },
    ]
    for rule in rules { #expect(throws: Failure.self) { try rule(letter) } }
  }

  @Test("names are trimmed and stored in NFC")
  func normalised() throws {
    #expect(try TextRules.name(" \u{1112}\u{1161}\u{11AB} ", "name").unicodeScalars.count == 1)
  }

  @Test(
    "a long text normalised in parts equals the whole text normalised",
    arguments: ["e\u{301}", "\u{1100}\u{1161}\u{11a8}", "b\u{301}\u{323}", "x", "\r\n", "क\u{93c}", "👩🏽‍🚀"])
  func longTexts(_ character: String) throws {
    for count in [1, 50, 300] {
      let text = "a" + String(repeating: character, count: count)
      #expect(TextRules.normalized(text).utf8.elementsEqual(text.precomposedStringWithCanonicalMapping.utf8))
    }
  }

  @Test("a name with a letter of many marks is compared with stored names unchanged")
  func longCharacters() {
    let marks = String(repeating: "\u{301}\u{323}", count: 5000)
    #expect(TextRules.comparableName(" e\u{301}a\(marks)e\u{301}").utf8.elementsEqual("éa\(marks)é".utf8))
  }

  @Test("names that cannot be addressed are refused", arguments: ["my", ".", "..", " my "])
  func channelNames(_ name: String) {
    #expect(throws: Failure.self) { try TextRules.channelName(name) }
  }

  @Test("content is stored unchanged, up to its limit")
  func content() throws {
    let text = "  e\u{301}\n"
    #expect(try TextRules.content(text, maxLength: 10).unicodeScalars.elementsEqual(text.unicodeScalars))
    #expect(throws: Failure.self) { try TextRules.content("12345", maxLength: 4) }
    #expect(try TextRules.content("각각각각", maxLength: 4).count == 4)
    #expect(throws: Failure.self) { try TextRules.content("a\u{0}", maxLength: 4) }
  }

  @Test("ids are lower-case version 4 UUIDs")
  func ids() {
    let uuid = IDSource().uuid()
    #expect(uuid.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
  }

  @Test("input that is longer than any form field is refused unread, surrounding blanks included")
  func sizes() throws {
    let blanks = String(repeating: " ", count: 16_384)
    for rule in [
      TextRules.email, TextRules.nickname, { try TextRules.name($0) }, TextRules.description, TextRules.note,
    ] {
      #expect { try rule("mina@example.com" + blanks) } throws: { "\($0)".contains("more than 16384 bytes") }
    }
    #expect(try TextRules.email("mina@example.com" + blanks.dropLast(16)) == "mina@example.com")
    #expect(throws: Failure.self) { try TextRules.newName(blanks + " ", TextRules.nickname) }
  }
}
