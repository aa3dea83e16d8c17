import Foundation
import MadangCore
import Testing

@testable import madang

@Suite("The document of settings")
struct SettingsDocumentTests {
  private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "docs/reference/settings.md")

  /// What stands above the tables.
  private static let head = """
    # Settings

    Each setting of `madang serve`, by its key in a settings file (`--config FILE`, JSON; `a.b` may be written as `{"a": {"b": ...}}`). In
    the environment it is `MADANG_` and the key in capitals, `_` for each dot: `MADANG_SOCKET_ACCESS` for `socket.access`. An option of
    the command line counts before the environment, that before the file, that before the default.

    `live`: a running server takes another value at SIGHUP (`systemctl reload madang`); others need a restart. `secret`: no command shows
    the value. `madang admin settings` lists the values that count, and where each comes from. A key that is none is refused
    with the one that was meant; a mistake names its cure. No value may have a control character, such as the carriage return
    at the end of a line from Windows.

    """

  private static func cell(_ text: String) -> String { text.replacing("|", with: "\\|") }

  private static func document() throws -> String {
    var lines = [head]
    for (title, settings) in try LoadedSettings([:]).sections {
      lines += ["## \(title)", "", "| key | default | meaning |", "|---|---|---|"]
      for setting in settings {
        let value = setting.value.replacing(FileManager.default.currentDirectoryPath, with: ".")
        let notes = (setting.isLive ? ["live"] : []) + (setting.isSecret ? ["secret"] : [])
        let variable = setting.customaryVariable.map { "; `\($0)` counts where nothing else says it" } ?? ""
        lines.append(
          "| `\(setting.key)` | \(value.isEmpty ? "" : "`\(cell(value))`") | \(cell(setting.help))\(variable)"
            + "\(notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))") |")
      }
      lines.append("")
    }
    return lines.joined(separator: "\n")
  }

  @Test("docs/reference/settings.md lists all settings as they are; MADANG_TEST_WRITE=1 writes it")
  func isTrue() throws {
    let document = try Self.document()
    if ProcessInfo.processInfo.environment["MADANG_TEST_WRITE"] != nil {
      try Data(document.utf8).write(to: Self.file)
    }
    let written = String(decoding: try Data(contentsOf: Self.file), as: UTF8.self)
    let wanted = document.split(separator: "\n")
    let found = written.split(separator: "\n")
    let differences = wanted.difference(from: found)
    #expect(differences.isEmpty, "write it anew: MADANG_TEST_WRITE=1 swift test --filter SettingsDocumentTests")
    #expect(written == document)
  }
}
