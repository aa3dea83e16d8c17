import Foundation
import Testing

@Suite("Documentation")
struct DocumentationTests {
  @Test("the README shows the example that is compiled, and it has about thirty lines")
  func example() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let example = try String(
      contentsOf: root.appending(path: "Examples/SocketIOExample/Example.swift"), encoding: .utf8)
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    #expect(readme.contains("```swift\n\(example)```"))
    #expect(example.split(separator: "\n").count <= 32)
  }
}
