import ArgumentParser
import Foundation

struct Man: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "man", abstract: "Print the manual page.", usage: "madang man",
    discussion: "To read it: madang man | man -l -\nTo install it: madang man > /usr/local/share/man/man1/madang.1")

  func run() throws { try Terminal.data(ManualPage.text.utf8) }
}

/// The help of all commands as one manual page (roff's man macros).
enum ManualPage {
  static var text: String {
    var lines = [
      ".TH MADANG 1 \"\" \"madang \(Version.text)\" \"Madang\"", ".SH NAME",
      escaped("madang - \(Madang.configuration.abstract)"),
      ".SH SYNOPSIS", escaped("madang <command> [options]"), ".SH DESCRIPTION",
    ]
    for line in Madang.configuration.discussion.split(separator: "\n", omittingEmptySubsequences: false) {
      lines.append(line.isEmpty ? ".PP" : escaped(line))
    }
    lines.append(".SH COMMANDS")
    for command in NamedCommand.all {
      lines += [".SS " + escaped("madang \(command.name)"), ".nf"]
      lines += command.help(columns: 72).split(separator: "\n", omittingEmptySubsequences: false).map(escaped)
      lines.append(".fi")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A backslash, and a dot or quote at the start of a line, have a meaning in roff.
  private static func escaped(_ line: some StringProtocol) -> String {
    let text = String(line).replacing("\\", with: "\\e").replacing("-", with: "\\-")
    return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
  }
}

/// A command without subcommands, and the words that call it.
struct NamedCommand {
  let name: String
  let type: any ParsableCommand.Type

  /// The output of `--help`.
  func help(columns: Int) -> String { Madang.helpMessage(for: type, columns: columns) }

  static let all = under(Madang.self, [])

  private static func under(_ type: any ParsableCommand.Type, _ path: [String]) -> [NamedCommand] {
    type.configuration.subcommands.flatMap { child in
      let path = path + [CalledCommand.name(of: child)]
      return child.configuration.subcommands.isEmpty
        ? [NamedCommand(name: path.joined(separator: " "), type: child)] : under(child, path)
    }
  }
}
