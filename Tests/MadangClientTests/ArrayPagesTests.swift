import Testing

@testable import MadangClient

@Suite("Splitting a JSON array into pages")
struct ArrayPagesTests {
  private func pages(of json: String, size: Int, inChunksOf count: Int) throws -> [String] {
    var array = ArrayPages(size: size, maxElementBytes: 100)
    let bytes = Array(json.utf8)
    var pages: [[UInt8]] = []
    for start in stride(from: 0, to: bytes.count, by: count) {
      pages += try array.add(bytes[start..<min(start + count, bytes.count)])
    }
    try array.finish()
    return pages.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("pages are complete wherever the bytes are divided", arguments: [1, 2, 3, 7, 1000])
  func division(_ count: Int) throws {
    let elements = [#"{"a":"],[\"\\","b":[1,[2]]}"#, "7", #""x,]\\""#, "[]", "{}"]
    let json = " [ " + elements.joined(separator: ",\n") + "\n] \n"
    #expect(
      try pages(of: json, size: 2, inChunksOf: count) == [
        "[\(elements[0]),\(elements[1])]", "[\(elements[2]),\(elements[3])]", "[\(elements[4])\n]",
      ])
  }

  @Test("an empty array has no page, and no page follows a full last one")
  func ends() throws {
    #expect(try pages(of: "[]", size: 2, inChunksOf: 1).isEmpty)
    #expect(try pages(of: "[1,2]", size: 2, inChunksOf: 1) == ["[1,2]"])
  }

  @Test("input that ends early or is not an array is an error", arguments: ["", "[1,2", "[\"a", "{}", "[1]2"])
  func noArray(_ json: String) {
    #expect(throws: ArrayPages.Failure.noArray) { try pages(of: json, size: 2, inChunksOf: 1) }
  }

  @Test("an element larger than the limit is never held")
  func limit() {
    let large = "[1,\"" + String(repeating: "a", count: 100) + "\"]"
    #expect(throws: ArrayPages.Failure.elementTooLarge) { try pages(of: large, size: 2, inChunksOf: 10) }
  }
}
