import Foundation
import Testing

/// The JSON output of commands as `docs/reference/commands.md` documents it. Tests check the commands against it.
struct CommandLineShapes {
  struct Shape {
    let isOne: Bool
    /// The possible sets of keys of an object.
    let keys: [Set<String>]
  }

  private let shapes: [String: Shape]

  static let documented = CommandLineShapes()

  private init() {
    let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/reference/commands.md")
    let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
    var shapes: [String: Shape] = [:]
    for line in text.split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 3, ["one", "each"].contains(cells[1]) else { continue }
      let choices = Self.quoted(cells[2].prefix { $0 != ";" })
      let keys = cells[2] == "none" ? [[]] : choices.map { Set($0.split(separator: " ").map(String.init)) }
      for command in Self.quoted(cells[0]) {
        shapes[command] = Shape(isOne: cells[1] == "one", keys: keys)
      }
    }
    self.shapes = shapes
  }

  /// Checks the objects that a command printed against their documented shape.
  func check(_ objects: [[String: JSONValue]], of arguments: [String]) {
    let name = arguments.prefix(3).indices.reversed().map { arguments[...$0].joined(separator: " ") }
    guard let shape = name.lazy.compactMap({ shapes[$0] }).first else {
      Issue.record("no documented shape of \(arguments)")
      return
    }
    if shape.isOne, objects.count != 1 { Issue.record("\(arguments) printed \(objects.count) objects") }
    for object in objects {
      if !shape.keys.contains(Set(object.keys)) { Issue.record("\(arguments) printed \(object.keys.sorted())") }
    }
  }

  private static func quoted(_ text: some StringProtocol) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
      .map { String($0.element) }
  }
}
