import SocketIOProtocol
import Testing

@Suite("JSON scanner")
struct JSONScannerTests {
  @Test(
    "JSON is accepted",
    arguments: [
      "0", "-0", "1.5e+10", "-12.0E-3", "true", "false", "null", #""""#, #""a\n\u00e9\ud800\"""#, "[]", "{}", "[[[]]]",
      #"{"a":{"b":[1,2,{"c":null}]},"a":2}"#, " [ 1 , 2 ] ", "\t{\r\n\"k\" : \"v\" }", #"["é😀"]"#,
    ])
  func valid(json: String) {
    #expect(JSONScanner.isValue(bytes(json)))
  }

  @Test(
    "invalid JSON is refused",
    arguments: [
      "", " ", "-", "01", "1.", ".5", "1e", "+1", "tru", "nul", "NaN", #"""#, #""\x""#, #""\u12g4""#, "\"\u{1}\"", "[",
      "[1", "[1,", "[1,]", "[,1]", "]", "{", #"{"a""#, #"{"a":"#, #"{"a":1,}"#, "{1:2}", "[1}", #"{"a":1]"#, "1 2",
      "[]]",
      "'a'", "[1 2]", "{}{}",
    ])
  func invalid(json: String) {
    #expect(!JSONScanner.isValue(bytes(json)))
    #expect(JSONScanner.elements(ofArray: bytes("[\(json),1")) == nil)
  }

  @Test("a hundred thousand levels use no stack")
  func depth() {
    let depth = 100_000
    let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    #expect(JSONScanner.isValue(bytes(deep)))
    #expect(!JSONScanner.isValue(bytes(String(deep.dropLast()))))
    let objects = String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
    #expect(JSONScanner.isValue(bytes(objects)))
  }

  @Test("the elements of an array are found without the space around them")
  func elements() throws {
    let array = bytes(#" [ "a,]" , {"b":[1,2]},[], 3 ] "#)
    let found = try #require(JSONScanner.elements(ofArray: array))
    #expect(found.map { text(Array(array[$0])) } == [#""a,]""#, #"{"b":[1,2]}"#, "[]", "3"])
    #expect(JSONScanner.elements(ofArray: bytes("[]"))?.isEmpty == true)
    #expect(JSONScanner.elements(ofArray: bytes("{}")) == nil)
    #expect(JSONScanner.elements(ofArray: bytes("[1] x")) == nil)
  }

  @Test("the members of an object are found, with their keys unescaped")
  func members() throws {
    let object = bytes(#"{"\u0061":1,"b":{"c":2}}"#)
    let found = try #require(JSONScanner.members(ofObject: object))
    #expect(found.map(\.key) == ["a", "b"])
    #expect(found.map { text(Array(object[$0.value])) } == ["1", #"{"c":2}"#])
  }

  @Test("strings are quoted as in JavaScript, and decode again")
  func strings() {
    let string = "a\"\\/\u{8}\u{c}\n\r\t\u{1}\u{1f}é😀"
    #expect(JSONText.quoted(string) == #""a\"\\/\b\f\n\r\t\u0001\u001fé😀""#)
    #expect(JSONText.string(bytes(JSONText.quoted(string))[...]) == string)
    #expect(JSONText.string(bytes(#""\ud83d\ude00\u00e9\/""#)[...]) == "😀é/")
    #expect(
      JSONText.string(bytes(#""\ud83d\ude00\ud83d\ude00e\u0301""#)[...], loneSurrogates: .refused) == "😀😀e\u{301}")
    for lone in [#"\ud800"#, #"\udc00"#, #"\ud800\ud800"#, #"\ud800a"#, #"\ud800é\udc00"#, #"a\ud800\n"#] {
      #expect(JSONText.string(bytes("\"\(lone)\"")[...])?.unicodeScalars.contains("\u{fffd}") == true)
      #expect(JSONText.string(bytes("\"\(lone)\"")[...], loneSurrogates: .refused) == nil)
    }
    #expect(JSONText.string(bytes(#""\ud800""#)[...]) == "\u{fffd}")
    #expect(JSONText.string(bytes("1")[...]) == nil)
  }
}
