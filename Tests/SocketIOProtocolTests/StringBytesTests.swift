import SocketIOProtocol
import Testing

@Suite("Bytes of strings")
struct StringBytesTests {
  @Test("a byte is found at its first index")
  func search() {
    let text = "/각😀?a?b"
    #expect(text.firstIndex(ofByte: UInt8(ascii: "?")) == text.firstIndex(of: "?"))
    #expect(text.firstIndex(ofByte: UInt8(ascii: "#")) == nil && "".firstIndex(ofByte: 0) == nil)
    let long = String(repeating: text, count: 5).dropFirst()
    #expect(String(long).firstIndex(ofByte: UInt8(ascii: "?")) == String(long).firstIndex(of: "?"))
  }

  @Test("text is ASCII if all bytes are below 0x80")
  func ascii() {
    #expect("abc\u{7f}".isASCII && "".isASCII && !"abc각".isASCII && !"각abc".isASCII)
    let long = String(repeating: "a", count: 40)
    #expect(long.isASCII && !"\(long)각".isASCII)
  }
}
