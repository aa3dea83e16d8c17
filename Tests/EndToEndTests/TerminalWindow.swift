import Foundation
import Support
import Testing

/// A real terminal with a shell in tmux: keys are sent, and the screen is read.
struct TerminalWindow {
  private let socket: String
  private let environment: [String: String]

  static let tmux = "/usr/bin/tmux"
  static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: tmux) }

  /// Runs `body` with a window of 80 by 24, in which `madang` is the tested program and acts for this person.
  static func run(_ person: Shell, _ body: (TerminalWindow) async throws -> Void) async throws {
    let folder = person.server.folder
    let madang = try Program.executable("madang").deletingLastPathComponent().path
    let window = TerminalWindow(
      socket: folder.appending(path: "tmux").path,
      environment: person.variables.merging([
        "PATH": "\(madang):/usr/bin:/bin", "HOME": folder.path, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color",
        "SHELL": "/bin/sh",
      ]) { $1 })
    try await window.tmux("-u", "-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "/bin/sh")
    do {
      try await body(window)
    } catch {
      _ = try? await window.tmux("kill-server")
      throw error
    }
    try await window.tmux("kill-server")
  }

  func type(_ text: String) async throws { try await tmux("send-keys", "-l", text) }

  /// Presses keys by tmux's names, such as `Enter` and `C-c`.
  func press(_ keys: String...) async throws { for key in keys { try await tmux("send-keys", key) } }

  func enter(_ line: String) async throws {
    try await type(line)
    try await press("Enter")
  }

  func resize(columns: Int, rows: Int) async throws {
    try await tmux("resize-window", "-x", "\(columns)", "-y", "\(rows)")
  }

  /// Waits until the rows of the screen satisfy a condition, and returns them.
  @discardableResult
  func wait(_ what: String, _ condition: ([String]) -> Bool) async throws -> [String] {
    var rows: [String] = []
    let came = try await World.eventually(within: .seconds(90)) {
      rows = try await tmux("capture-pane", "-p")
      return condition(rows)
    }
    try #require(came, "\(what) did not come:\n\(rows.joined(separator: "\n"))")
    return rows
  }

  /// Waits until a row of the screen contains a text, and returns the rows.
  @discardableResult
  func wait(for text: String) async throws -> [String] {
    try await wait("'\(text)'") { rows in rows.contains { $0.contains(text) } }
  }

  @discardableResult
  private func tmux(_ arguments: String...) async throws -> [String] {
    let program = try Program(Self.tmux, ["-S", socket] + arguments, environment: environment)
    async let output = program.output.rest()
    async let errors = program.errors.rest()
    let outcome = await (status: program.status(), output: output, errors: errors)
    try #require(outcome.status == 0, "tmux \(arguments): \(outcome.errors)")
    return outcome.output
  }
}
