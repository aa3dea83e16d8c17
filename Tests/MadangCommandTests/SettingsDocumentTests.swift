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

    Settings of `madang serve`. The key is the name in a settings file (`--config FILE`, JSON; `a.b` may be written as
    `{"a": {"b": ...}}`). The environment variable is `MADANG_` and the key in capitals with `_` for each dot: `MADANG_SOCKET_ACCESS` for
    `socket.access`. The command line goes before the environment, the environment before the file, the file before the default.

    `live` settings change while the server runs, at SIGHUP (`systemctl reload madang`); the others need a restart. `secret` values are
    never printed. `madang admin settings` lists the values in use and where each comes from. Unknown keys are refused, with a
    suggestion. Values may not have control characters, such as the carriage return at the end of a line from Windows.

    A `secret` can stay in a file of its own, as Docker, Kubernetes and systemd provide it: add `.file` to the key, `_FILE` to the variable.
    `MADANG_MAIL_PASSWORD_FILE=/run/secrets/mail`, or `{"mail": {"password.file": "/run/secrets/mail"}}`, reads `mail.password` from there. The
    file is a regular one and has only the secret, in one line of at most 64 KiB; give the setting or its file, not both. `madang doctor` warns of a file that every
    user of the machine can read.

    """

  private static func cell(_ text: String) -> String { text.replacing("|", with: "\\|") }

  private static func document() throws -> String {
    var lines = [head]
    for (title, settings) in try LoadedSettings([:]).sections {
      lines += ["## \(title)", "", "| key | default | meaning |", "|---|---|---|"]
      for setting in settings {
        let value = setting.value.replacing(FileManager.default.currentDirectoryPath, with: ".")
        let notes = (setting.isLive ? ["live"] : []) + (setting.isSecret ? ["secret"] : [])
        let variable = setting.customaryVariable.map { "; `\($0)` is used if the setting is not given" } ?? ""
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
