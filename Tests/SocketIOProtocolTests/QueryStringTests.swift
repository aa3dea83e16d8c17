import SocketIOProtocol
import Testing

@Suite("Query strings")
struct QueryStringTests {
  @Test("items keep their order, and the last value of a repeated name counts")
  func items() {
    let query = QueryString("a=1&b=%41+b&&a=2&c&=x&d=1=2%zz")
    #expect(query.items.map { "\($0.name)=\($0.value)" } == ["a=2", "b=A b", "c=", "=x", "d=1=2%zz"])
    #expect(query["a"] == "2" && query["e"] == nil)
  }

  @Test("a thousand items are parsed, and the rest is ignored, however long it is", .timeLimit(.minutes(1)))
  func limit() {
    let text = (0..<300_000).map { "n\($0)=" }.joined(separator: "&")
    let query = QueryString(text[...])
    #expect(query.items.count == QueryString.maxItems)
    #expect(query["n999"] == "" && query["n1000"] == nil)
  }
}
