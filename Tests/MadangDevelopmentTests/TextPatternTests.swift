import Testing

@testable import MadangDevelopment

@Suite("Patterns of texts", .timeLimit(.minutes(5)))
struct TextPatternTests {
  /// The same, as anybody would say it.
  private func matches(_ text: Substring, _ pattern: Substring) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    if first == "*" {
      return matches(text, pattern.dropFirst()) || !text.isEmpty && matches(text.dropFirst(), pattern)
    }
    return text.first == first && matches(text.dropFirst(), pattern.dropFirst())
  }

  /// All texts of so many letters at most.
  private func texts(_ length: Int, of letters: String) -> [String] {
    var all = [""]
    var last = all
    for _ in 0..<length {
      last = last.flatMap { text in letters.map { text + String($0) } }
      all += last
    }
    return all
  }

  @Test("a star matches any text, also an empty one")
  func stars() {
    let texts = texts(6, of: "ab")
    for pattern in self.texts(4, of: "ab*") + ["a*abab*b", "*aab*", "*abaab*", "*aaab*a", "**a**"] {
      let made = TextPattern(pattern)
      for text in texts where made.matches(text) != matches(text[...], pattern[...]) {
        Issue.record("'\(pattern)' and '\(text)'")
      }
    }
  }

  @Test("long texts are searched once for each part")
  func long() {
    let text = String(repeating: "a", count: 200_000)
    #expect(!TextPattern("/*" + String(repeating: "a", count: 100_000) + "b").matches("/" + text))
    #expect(!TextPattern("/*" + String(repeating: "a", count: 100_000) + "b*").matches("/" + text))
    #expect(TextPattern("/*" + String(repeating: "a", count: 100_000) + "*").matches("/" + text))
  }

  @Test("texts that are slow to compare are compared byte by byte")
  func marks() {
    let marks = String(repeating: "\u{301}\u{323}", count: 200)
    #expect(JSONValue.text("f" + marks).contains(.text("f" + marks)))
    #expect(!JSONValue.text("f" + marks).contains(.text("f" + marks + "\u{301}")))
    #expect(JSONValue.text("\u{E9}").contains(.text("e\u{301}")))
  }
}
