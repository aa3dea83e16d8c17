import Foundation
import MadangCore
import Support
import Testing

@testable import MadangDevelopment

/// Seeds and scripts that are small and costly.
@Suite("Hostile seeds and scripts", .timeLimit(.minutes(5)))
struct HostileDocumentTests {
  /// Marks whose order Unicode takes the square of their number to find: few enough for this test, and too many for readers.
  private static func manyMarks(_ escape: (UInt32) -> String) -> String {
    (0..<200).map { escape($0.isMultiple(of: 2) ? 0x301 : 0x323) }.joined()
  }

  private static let short: String = manyMarks { #"\u0"# + String($0, radix: 16) }
  private static let long: String = manyMarks { #"\U00000"# + String($0, radix: 16) }
  private static let bytes: String = manyMarks { $0 == 0x301 ? "%CC%81" : "%CC%A3" }
  private static let lines: String = manyMarks {
    "\(Unicode.Scalar($0) ?? "?")" + ($0 == 0x301 ? "\\\n  " : "\\\r\n\t")
  }
  private static let lineSeparators: String = manyMarks { "\(Unicode.Scalar($0) ?? "?")\\\u{2028} \\\u{85} " }

  @Test(
    "letters with very many marks are refused before names are compared, however they are written",
    arguments: [
      #"{"a\#(short)": 1}"#, #"{"a\#(long)": 1}"#, #"? "a\#(short)"\#n: 1"#, "!a\(bytes) b: 1", "!<a\(bytes)> b: 1",
      "\"a\(lines)\": 1", "\"a\(lineSeparators)\": 1",
      #"people: [{email: "a\#(short)@example.com"}]"#, #"now: "\#(short)""#, #"[{as: "\#(short)"}]"#,
      #"'\': "a\#(short)""#, #"a\: {"\\\#(short)": 1}"#,
    ])
  func refused(_ text: String) {
    let error = #expect(throws: SeedError.self) { try YAMLText(text, maxSeparators: 10) }
    #expect(error?.message.contains("too many combining marks") == true, "\(String(describing: error))")
  }

  @Test("escapes of ordinary text are read", arguments: [#"\u00e9\x41\U0001F600\\u0301"#, #"e\u0301\u0323o\u0302"#])
  func ordinary(_ text: String) throws {
    #expect(try Seed("name: \"\(text)\"").name.utf8.count > 4)
  }

  @Test("a chat with too many marks for a seed is exported with the first of them")
  func export() throws {
    let text = "a" + String(repeating: "\u{301}\u{323}", count: 300) + "b"
    for format in [SeedText.Format.yaml, .json] {
      var written = SeedText(format, head: [])
      written.field("name", .text(text))
      written.end()
      let read = try Seed(String(decoding: written.take(), as: UTF8.self)).name
      #expect(read.hasPrefix("a\u{323}") == false && read.count == 3 && read.hasSuffix("\u{FFFD}b"), "\(read)")
    }
  }

  @Test("names in scripts and seeds have at most 1000 bytes", arguments: ["name", "as", "in", "to"])
  func longNames(_ field: String) {
    let name = String(repeating: "n", count: 1001)
    let text =
      field == "name"
      ? "{name: \(name), do: [{wait: 1s}]}"
      : "{name: n, as: a, do: [{post: x, in: W, \(field == "in" ? "" : "\(field): \(name)")}]}"
        .replacing("in: W, }", with: "in: \(name)}")
    let error = #expect(throws: SeedError.self) { try Script.read(text) }
    #expect(error?.message == "\(field): 1000 bytes at most")
    #expect(throws: SeedError(1, "email: 1000 bytes at most")) { try Seed("people: [{email: \(name)}]") }
  }

  @Test("an error repeats the start of a long name only")
  func shortErrors() {
    let name = String(repeating: "n", count: 100_000)
    for text in [
      "{\(name): 1}", "{a: {\(name): 1, \(name): 2}}", "workspaces: [{name: W, owner: \(name.prefix(900))}]",
    ] {
      let error = #expect(throws: SeedError.self) { try Seed(text) }
      #expect((error?.message.utf8.count ?? 1000) < 400, "\(error?.message.prefix(500) ?? "")")
    }
  }

  @Test("scripts with too many parts are refused before they are parsed")
  func manyParts() {
    // The parser would find that the list does not end.
    for part in ["a,", "- a\n", "? a\n", "[", "{a: ", #"{"a":"#] {
      let text = "[" + String(repeating: part, count: ScriptReader.maxSeparators + 1)
      let error = #expect(throws: SeedError.self) { try Script.read(text) }
      #expect(error?.message == "more than 200000 parts; remove some")
    }
  }

  @Test("reading ends at the part at which its call is cancelled")
  func cancelled() {
    var asked = 0
    let text = "[" + String(repeating: "a,", count: 1000) + "]"
    #expect(throws: SeedError.cancelled) {
      try YAMLNode(parsing: text) {
        asked += 1
        return asked > 10
      }
    }
    #expect(asked == 11)
    asked = 0
    let people = (1...1000).map { "{email: p\($0)@example.com}" }.joined(separator: ",")
    #expect(throws: SeedError.cancelled) {
      let root = try YAMLNode(parsing: "people: [\(people)]")
      var reader = SeedReader(start: 0) {
        asked += 1
        return asked > 10
      }
      _ = try reader.read(root)
    }
    #expect(asked == 11)
  }
}
