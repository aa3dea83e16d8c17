import Testing

@testable import MadangProviders

@Suite("Elements of S3's answers", .timeLimit(.minutes(5)))
struct ElementScannerTests {
  static let list = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!-- a page --> <s3:ListBucketResult xmlns:s3="http://example.com/a>b" note='"'>
      <Name>b</Name><IsTruncated>true</IsTruncated><Empty/><None />
      <Contents a="1/"><Key>a&amp;b&#x2F;&#47;&lt;&gt;&quot;&apos;.png</Key><ETag>"x"</ETag></Contents>
      <Contents><Key><![CDATA[<c> & d]]></Key></Contents>
    </s3:ListBucketResult>

    """

  @Test("elements, text, entities, CDATA and comments are read")
  func reading() throws {
    let list = try ElementScanner.read(Array(Self.list.utf8))
    #expect(
      list.name == "ListBucketResult" && list["IsTruncated"] == "true" && list["Empty"] == "" && list["No"] == nil)
    let contents = list.children.filter { $0.name == "Contents" }
    #expect(contents.map { $0["Key"] } == ["a&b//<>\"'.png", "<c> & d"])
    #expect(contents.first?["ETag"] == "\"x\"")
    #expect(list.children.contains { $0.name == "None" })
  }

  @Test(
    "malformed documents are refused",
    arguments: [
      "", " ", "words", "<a>", "</a>", "<a></b>", "<a/><b/>", "<a/>words", "<>", "</>", "< a/>", "<a", "<a b='>",
      "<a>&",
      "<a>&amp", "<a>&other;</a>", "<a>&#x110000;</a>", "<a>&#xD800;</a>", "<a>&#;</a>", "<a>&#-1;</a>",
      "<!DOCTYPE a><a/>",
      "<a><!-- </a>", "<a><![CDATA[</a>", "<?xml", "<a>\u{0}</a></a>", "<a/><!", "<a:></a:>",
      "<가></가>", "<a>e" + String(repeating: "\u{301}", count: 200) + "</a>",
      String(repeating: "<a>", count: 17) + String(repeating: "</a>", count: 17),
    ])
  func refusing(_ text: String) {
    #expect(throws: ElementScanner.Malformed.self) { try ElementScanner.read(Array(text.utf8)) }
  }

  @Test("elements may nest up to the limit")
  func depth() throws {
    let text = String(repeating: "<a>", count: 16) + String(repeating: "</a>", count: 16)
    #expect(try ElementScanner.read(Array(text.utf8)).name == "a")
    #expect(throws: ElementScanner.Malformed.self) { try ElementScanner.read([0x3C, 0x61, 0xFF, 0x2F, 0x3E]) }
  }

  @Test("a damaged document ends with an element or an error")
  func mutations() {
    let whole = Array(Self.list.trimmed.utf8)
    for end in 0..<whole.count { #expect(throws: (any Error).self) { try ElementScanner.read(Array(whole[..<end])) } }
    var generator = Sequel(state: 2026)
    let pieces: [[UInt8]] = ["<", ">", "/", "&", ";", "<!--", "]]>", "<![CDATA[", "&#", "\"", ":", "?", "\u{FEFF}"].map
    {
      Array($0.utf8)
    }
    for _ in 0..<3000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let start = Int.random(in: 0...bytes.count, using: &generator)
        let end = min(bytes.count, start + Int.random(in: 0...4, using: &generator))
        bytes.replaceSubrange(start..<end, with: pieces.randomElement(using: &generator) ?? [])
      }
      _ = try? ElementScanner.read(bytes)
    }
  }
}

/// The same numbers at every run (SplitMix64).
private struct Sequel: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension String {
  fileprivate var trimmed: String { String(reversed().drop(while: \.isWhitespace).reversed()) }
}
