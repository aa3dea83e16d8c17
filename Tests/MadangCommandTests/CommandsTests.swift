import ArgumentParser
import Foundation
import Testing

@testable import madang

@Suite("madang: all commands")
struct CommandsTests {
  @Test("every command explains itself within 80 columns")
  func help() {
    for command in Command.all {
      let lines = Madang.helpMessage(for: command.type, columns: 80).split(separator: "\n")
      #expect(lines.first?.hasPrefix("OVERVIEW: ") == true, "\(command.name)")
      #expect(lines.filter { String($0).columns > 80 } == [], "\(command.name)")
    }
  }

  @Test("every command that prints JSON has its shape in docs/command-line.md")
  func documented() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/command-line.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    for command in Command.all where command.helpText.contains("--json") {
      #expect(text.contains("`\(command.name)`"), "\(command.name)")
    }
  }
}

/// A command that does something, by the words that call it.
private struct Command {
  let name: String
  let type: any ParsableCommand.Type

  var helpText: String { Madang.helpMessage(for: type, columns: 80) }

  static let all = under(Madang.self, [])

  private static func under(_ type: any ParsableCommand.Type, _ path: [String]) -> [Command] {
    type.configuration.subcommands.flatMap { child in
      let path = path + [child._commandName]
      let nested = under(child, path)
      return nested.isEmpty ? [Command(name: path.joined(separator: " "), type: child)] : nested
    }
  }
}
