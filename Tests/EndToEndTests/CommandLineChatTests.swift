import Foundation
import Testing

@Suite(
  "madang chat, in a terminal", .serialized, .timeLimit(.minutes(10)), .enabled(if: TerminalWindow.isAvailable))
struct CommandLineChatTests {
  /// Mina and Joon are members of #garden and #ios; the window is Joon's.
  private func withWindow(
    _ body: (_ window: TerminalWindow, _ mina: Shell, _ server: TestServer) async throws -> Void
  ) async throws {
    try await TestServer.run { server in
      let (mina, joon) = (Shell("mina", at: server), Shell("joon", at: server))
      try await mina.signUp("미나")
      try await joon.signUp("Joon")
      try await mina.object("workspace", "create", "Courtyard")
      try await mina.object("workspace", "invite", "joon@example.com")
      for channel in ["garden", "ios"] {
        try await mina.object("channel", "create", channel)
        _ = try await joon.run("history", channel)
      }
      try await mina.object("say", "garden", "The persimmons are ripe. 감이 익었어요.")
      try await TerminalWindow.run(joon) { try await body($0, mina, server) }
    }
  }

  /// Checks that the terminal echoes, edits lines and sends signals, as a shell needs it.
  private func expectTidy(_ window: TerminalWindow, _ round: Int) async throws {
    try await window.enter(
      "stty -a | tr ' ;' '\\n\\n' | grep -cx -e icanon -e echo -e isig | sed 's/^/tidy \(round) /'")
    try await window.wait(for: "tidy \(round) 3")
  }

  @Test("text, Korean, a file, other rooms' counts and a changed size are shown; leaving restores the terminal")
  func conversation() async throws {
    try await withWindow { window, mina, server in
      try await window.enter("madang chat '#garden'; echo status=$?")
      let first = try await window.wait("the room, live") { rows in
        rows.first?.contains("#garden in Courtyard  live") == true
          && rows.contains { $0.hasSuffix("미나: The persimmons are ripe. 감이 익었어요.") }
      }
      #expect(first.count == 24)
      try await window.enter("잘 자랐네요! see you there")
      try await window.wait(for: "Joon: 잘 자랐네요! see you there")
      #expect(try await mina.run("history", "#garden").output.last?.hasSuffix("Joon: 잘 자랐네요! see you there") == true)

      try await window.type("ab한c")
      try await window.press("Left", "BSpace", "End")
      try await window.wait("the edited line") { $0.last == "> abc" }
      try await window.press("C-u")

      try await mina.object("say", "#ios", "elsewhere")
      try await window.wait(for: "unread: #ios 1")
      try await mina.object("say", "#garden", "live 소식")
      try await window.wait(for: "미나: live 소식")

      let picture = server.folder.appending(path: "감.png")
      try Data(TestPicture.png).write(to: picture)
      try await window.enter("/file \(picture.path)")
      try await window.wait(for: "[/static/channelChats/")
      try await window.enter("/file /nonexistent.png")
      try await window.wait(for: "(not sent: /nonexistent.png")
      try await window.enter("/discard")
      try await window.wait("the room without it") { rows in !rows.contains { $0.contains("/nonexistent.png") } }

      try await window.resize(columns: 50, rows: 12)
      try await window.wait("the smaller screen") { rows in
        rows.count == 12 && rows.first?.contains("#garden in Courtyard") == true
          && rows.contains { $0.contains("[/static/") }
          && rows.last?.hasPrefix(">") == true
      }
      try await window.resize(columns: 80, rows: 24)

      try await window.enter("/quit")
      let after = try await window.wait(for: "status=0")
      #expect(!after.contains { $0.contains("persimmons") }, "the shell's screen is back")
      try await expectTidy(window, 1)
    }
  }

  @Test("Ctrl-C, SIGTERM and the end of the session restore the terminal")
  func leaving() async throws {
    try await withWindow { window, _, server in
      try await window.enter("madang chat '#garden'; echo left=$?")
      try await window.wait(for: "#garden in Courtyard  live")
      try await window.press("C-c")
      try await window.wait(for: "left=0")
      try await expectTidy(window, 1)

      let pid = server.folder.appending(path: "pid")
      try await window.enter("sh -c 'echo $$ > \(pid.path); exec madang chat garden'; echo ended=$?")
      try await window.wait(for: "#garden in Courtyard  live")
      let number = try String(contentsOf: pid, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
      kill(try #require(pid_t(number)), SIGTERM)
      try await window.wait(for: "ended=143")
      try await expectTidy(window, 2)

      try await window.enter("madang chat '#nowhere'; echo refused=$?")
      try await window.wait(for: "refused=1")
      try await expectTidy(window, 3)

      try await window.enter("madang workspace leave")
      try await window.wait(for: "Leave Courtyard? [y/N]")
      try await window.enter("n")
      try await window.wait(for: "madang: nothing was done")
    }
  }
}
