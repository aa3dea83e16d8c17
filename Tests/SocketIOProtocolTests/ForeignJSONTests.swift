import Testing

@testable import SocketIOProtocol

@Suite("Untrusted JSON")
struct ForeignJSONTests {
  private struct Empty: Decodable {}

  @Test(
    "Arrays and objects nested too deep are an error, at every depth around the decoder's own limit",
    arguments: 510...515)
  func nesting(depth: Int) {
    for (open, close) in [("[", "]"), (#"{"a":"#, "}"), (#"[{"a":"#, "}]")] {
      let whole = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
      for text in [whole, String(repeating: open, count: depth)] {
        #expect(throws: DecodingError.self) { try ForeignJSON.decode(Empty.self, from: Array(text.utf8)) }
        #expect(throws: DecodingError.self) {
          try ForeignJSON.decode(Empty.self, from: text.utf16.flatMap { [UInt8($0), 0] })
        }
      }
    }
  }

  @Test("JSON nested up to the limit is decoded")
  func deepest() throws {
    func nested(_ depth: Int) -> [UInt8] {
      let inner = depth - 1
      return Array(#"{"a":"#.utf8) + [UInt8](repeating: UInt8(ascii: "["), count: inner)
        + [UInt8](repeating: UInt8(ascii: "]"), count: inner) + [UInt8(ascii: "}")]
    }
    _ = try ForeignJSON.decode(Empty.self, from: nested(ForeignJSON.maxDepth))
    #expect(throws: DecodingError.self) { try ForeignJSON.decode(Empty.self, from: nested(ForeignJSON.maxDepth + 1)) }
  }

  @Test("A key longer than allowed is an error at any place; a value of any length is not")
  func keys() throws {
    let marks = String(repeating: "\u{301}", count: 128)
    let fitting = String(repeating: "x", count: ForeignJSON.maxKeySize - 2)
    for (open, close) in [(#"{"#, "}"), (#"{"a":1,"#, "}"), (#"[{"b":{"#, "}}]")] {
      #expect(ForeignJSON.isSafe(Array(#"\#(open)"\#(fitting)":1\#(close)"#.utf8)))
      #expect(!ForeignJSON.isSafe(Array(#"\#(open)"x\#(fitting)":1\#(close)"#.utf8)))
      #expect(!ForeignJSON.isSafe(Array(#"\#(open)"e\#(marks)":1\#(close)"#.utf8)))
    }
    _ = try ForeignJSON.decode(Empty.self, from: Array(#"{"a":"\#(String(repeating: marks, count: 100))"}"#.utf8))
  }
}
