import Foundation
import Testing

@testable import madang

@Suite("madang: all commands")
struct CommandsTests {
  @Test("the help of every command fits into 80 columns")
  func help() {
    for command in NamedCommand.all {
      let lines = command.help(columns: 80).split(separator: "\n")
      #expect(lines.first?.hasPrefix("OVERVIEW: ") == true, "\(command.name)")
      #expect(lines.filter { String($0).columns > 80 } == [], "\(command.name)")
    }
  }

  @Test("every command that prints JSON has its shape in docs/reference/commands.md")
  func documented() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/reference/commands.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    for command in NamedCommand.all where command.help(columns: 80).contains("--json") {
      #expect(text.contains("`\(command.name)`"), "\(command.name)")
    }
  }

  @Test("the manual page has every command, and no text that roff would read as a request")
  func manual() {
    let lines = ManualPage.text.split(separator: "\n")
    for command in NamedCommand.all {
      #expect(lines.contains { $0 == ".SS madang \(command.name.replacing("-", with: "\\-"))" }, "\(command.name)")
    }
    let requests: Set<Substring> = [".TH", ".SH", ".SS", ".PP", ".nf", ".fi"]
    for line in lines where line.hasPrefix(".") || line.hasPrefix("'") {
      #expect(requests.contains(line.prefix { $0 != " " }), "\(line)")
    }
  }
}
