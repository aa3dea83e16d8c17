import SocketIOProtocol
import Testing

@Suite("Query strings")
struct QueryStringTests {
  @Test("items keep their order, and of a repeated name the last value counts")
  func items() {
    let query = QueryString("a=1&b=%41+b&&a=2&c&=x&d=1=2%zz")
    #expect(query.items.map { "\($0.name)=\($0.value)" } == ["a=2", "b=A b", "c=", "=x", "d=1=2%zz"])
    #expect(query["a"] == "2" && query["e"] == nil)
  }

  @Test("bytes are found, and compared, as they are")
  func bytes() {
    let text = "/각😀?a?b"
    #expect(text.firstIndex(ofByte: UInt8(ascii: "?")) == text.firstIndex(of: "?"))
    #expect(text.firstIndex(ofByte: UInt8(ascii: "#")) == nil && "".firstIndex(ofByte: 0) == nil)
    #expect("channels".hasBytes(of: "channels") && "".hasBytes(of: ""))
    #expect(!"channels".hasBytes(of: "channelz") && !"channels".hasBytes(of: "channel"))
    // Both are the same character.
    #expect("\u{e9}" == "e\u{301}" && !"\u{e9}".hasBytes(of: "e\u{301}"))
    #expect("abc\u{7f}".isASCII && "".isASCII && !"abc각".isASCII)
  }

  @Test("a thousand items are read, what stands behind them is not, however long it is", .timeLimit(.minutes(1)))
  func limit() {
    let text = (0..<300_000).map { "n\($0)=" }.joined(separator: "&")
    let query = QueryString(text[...])
    #expect(query.items.count == QueryString.maxItems)
    #expect(query["n999"] == "" && query["n1000"] == nil)
  }
}
