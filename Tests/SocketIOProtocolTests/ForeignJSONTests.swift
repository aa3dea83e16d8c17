import Testing

@testable import SocketIOProtocol

@Suite("JSON that others wrote")
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

  @Test("What is nested as deep as allowed is read")
  func deepest() throws {
    func nested(_ depth: Int) -> [UInt8] {
      let inner = depth - 1
      return Array(#"{"a":"#.utf8) + [UInt8](repeating: UInt8(ascii: "["), count: inner)
        + [UInt8](repeating: UInt8(ascii: "]"), count: inner) + [UInt8(ascii: "}")]
    }
    _ = try ForeignJSON.decode(Empty.self, from: nested(ForeignJSON.maxDepth))
    #expect(throws: DecodingError.self) { try ForeignJSON.decode(Empty.self, from: nested(ForeignJSON.maxDepth + 1)) }
  }
}
