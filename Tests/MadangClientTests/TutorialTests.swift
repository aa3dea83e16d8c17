import Foundation
import Testing

@Suite("The tutorial")
struct TutorialTests {
  @Test("the tutorial shows the code that is compiled")
  func sameCode() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    func lines(_ path: String) throws -> [String] {
      try String(contentsOf: root.appending(path: path), encoding: .utf8).split(separator: "\n").map(String.init)
    }
    let code = try lines("Examples/ChatScreen/ChatScreen.swift")
    let text = try lines("Sources/MadangClient/MadangClient.docc/ChatScreen.md")
    // The blocks after the first one, which is not part of the example.
    let blocks = text.split(separator: "```swift").dropFirst(2).flatMap { $0.prefix { $0 != "```" } }
    #expect(blocks == code)
    #expect(code.count <= 60)
  }
}
