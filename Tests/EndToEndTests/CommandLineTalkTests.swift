import Foundation
import Testing

@Suite("madang: talk", .serialized, .timeLimit(.minutes(10)))
struct CommandLineTalkTests {
  /// Mina owns a workspace with the channel #ios; Joon is a member who has read the channel.
  private func withTwo(_ body: (_ mina: Shell, _ joon: Shell) async throws -> Void) async throws {
    try await TestServer.run { server in
      let environment = ["MADANG_DEV_URL": server.url]
      let mina = Shell("mina", at: server, environment: environment)
      let joon = Shell("joon", at: server, environment: environment)
      try await mina.signUp("Mina")
      try await joon.signUp("Joon")
      try await mina.object("workspace", "create", "Builders")
      try await mina.object("workspace", "invite", "joon@example.com")
      try await mina.object("channel", "create", "ios")
      #expect(try await joon.run("history", "#ios").status == 0)
      try await body(mina, joon)
    }
  }

  @Test("each reads what the other wrote, oldest first, optionally from a date on")
  func history() async throws {
    try await withTwo { mina, joon in
      let first = try await mina.object("say", "#ios", "first 첫째")
      try await joon.object("say", "ios", "second")
      let all = try await joon.objects("history", "#ios")
      #expect(all.map { $0["content"] } == [.text("first 첫째"), .text("second")])
      guard case .text(let date)? = first["createdAt"] else { return #expect(Bool(false), "no date") }
      let later = try await joon.objects("history", "#ios", "--after", date)
      #expect(later.map { $0["content"] } == [.text("second")])
      let people = try await joon.run("history", "#ios")
      #expect(people.output.count == 3)
      #expect(people.output[1].hasSuffix("  Mina: first 첫째"))
      #expect(people.errors == [])
    }
  }

  @Test("a bad date is refused")
  func badDate() async throws {
    try await withTwo { mina, _ in
      let outcome = try await mina.run("history", "#ios", "--after", "yesterday")
      #expect(outcome.status == 1)
      #expect(outcome.errors.count == 1 && outcome.errors[0].hasPrefix("madang: E11: the request is not valid: "))
    }
  }

  @Test("a chat whose answer is lost is found in the history; it is shown, and posted once")
  func answerLost() async throws {
    try await withTwo { mina, joon in
      let rule = #"{"match":{"operation":"postToChannel","times":1},"effect":{"kind":"answerLost"}}"#
      try await mina.object("say", "#ios", "before")
      try await mina.object("dev", "faults", "add", rule)
      let said = try await mina.object("say", "#ios", "once")
      #expect(said["content"] == .text("once"))
      #expect(try await joon.objects("history", "#ios").map { $0["content"] } == [.text("before"), .text("once")])
    }
  }

  @Test("a chat that was not posted is status 69; one whose outcome is unknown is status 74")
  func outcome() async throws {
    try await withTwo { mina, joon in
      let reset = #"{"match":{"operation":"postToChannel","times":1},"effect":{"kind":"reset"}}"#
      try await mina.object("dev", "faults", "add", reset)
      let lost = try await mina.run("say", "#ios", "not posted")
      #expect(lost.status == 69 && lost.output == [], "\(lost)")
      #expect(try await joon.objects("history", "#ios").isEmpty)

      let rules = #"""
        [{"match":{"operation":"postToChannel","times":1},"effect":{"kind":"answerLost"}},
         {"match":{"operation":"channelHistory","account":"mina@example.com"},"effect":{"kind":"reset"}}]
        """#
      _ = try await mina.objects("dev", "faults", "add", rules)
      let unknown = try await mina.run("say", "#ios", "posted")
      #expect(unknown.status == 74 && unknown.output == [], "\(unknown)")
      #expect(unknown.errors.first?.contains("it is unknown whether the chat was posted") == true)
      #expect(try await joon.objects("history", "#ios").map { $0["content"] } == [.text("posted")])
    }
  }

  @Test("in a channel that is not joined, say names the command that joins it, and --join joins")
  func notJoined() async throws {
    try await withTwo { mina, joon in
      try await mina.object("channel", "create", "quiet")
      let outcome = try await joon.run("say", "#quiet", "hello")
      #expect(outcome.status == 1)
      #expect(
        outcome.errors == [
          "madang: you have not joined #quiet: post with --join, or read it first with madang history '#quiet'"
        ])
      try await joon.object("say", "#quiet", "hello", "--join")
      #expect(try await mina.objects("history", "#quiet").map { $0["content"] } == [.text("hello")])
    }
  }

  @Test("escape sequences in a chat do not reach the terminal")
  func escapes() async throws {
    try await withTwo { mina, joon in
      try await mina.object("say", "#ios", "red \u{1B}[31malert")
      let outcome = try await joon.run("history", "#ios")
      #expect(outcome.output.last?.contains("\u{1B}") == false)
      #expect(outcome.output.last?.hasSuffix("[31malert") == true)
    }
  }

  @Test("files are sent with a chat and come back unchanged, to standard output or to disk")
  func files() async throws {
    try await withTwo { mina, joon in
      let folder = mina.server.folder
      let picture = folder.appending(path: "a \"picture\" 그림.png")
      let bytes = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data((0..<300_000).map { UInt8($0 % 251) })
      try bytes.write(to: picture)
      let chat = try await mina.object("say", "#ios", "two", "--file", picture.path, "--file", picture.path)
      guard case .texts(let paths)? = chat["files"], paths.count == 2 else { return #expect(Bool(false), "no files") }
      let got = folder.appending(path: "got.png")
      let saved = try await joon.object("file", "get", paths[0], "--output", got.path)
      #expect(saved["size"] == .number(bytes.count))
      #expect(try Data(contentsOf: got) == bytes)
      let shell = try joon.start(["file", "get", paths[1]])
      #expect(await shell.output.rest().joined(separator: "\n").utf8.count > 0)
      #expect(await shell.status() == 0)
      let alone = try await joon.object("say", "#ios", "--file", picture.path)
      #expect(alone["content"] == .text(""))
      let missing = try await joon.run("say", "#ios", "--file", "/nonexistent.png")
      #expect(missing.status == 1)
      #expect(missing.errors.first?.hasPrefix("madang: /nonexistent.png: ") == true)
      let unknown = try await joon.run("file", "get", "/static/channelChats/none.png", "-o", "/nonexistent/x")
      #expect(unknown.status == 1)
    }
  }

  @Test("unread counts chats of others until they were shown")
  func unread() async throws {
    try await withTwo { mina, joon in
      func counts(_ shell: Shell) async throws -> [String: JSONValue] {
        let objects = try await shell.objects("unread")
        return Dictionary(
          uniqueKeysWithValues: objects.compactMap { object in
            guard case .text(let name)? = object["name"], let count = object["count"] else { return nil }
            return (name, count)
          })
      }
      try await mina.object("say", "#ios", "one")
      try await mina.object("say", "#ios", "two")
      try await joon.object("say", "#ios", "mine does not count")
      #expect(try await counts(joon) == ["ios": .number(2), "일반": .number(0)])
      #expect(try await counts(mina) == ["ios": .number(1), "일반": .number(0)])
      _ = try await joon.run("history", "#ios")
      #expect(try await counts(joon) == ["ios": .number(0), "일반": .number(0)])
    }
  }

  @Test("watch reports when it is live, prints chats of all its rooms as they arrive, and ends after --count")
  func watch() async throws {
    try await withTwo { mina, joon in
      let watch = try joon.start(["watch", "#ios", "@Mina", "--json", "--count", "3"])
      #expect(try await watch.errors.next() == "live: #ios, @Mina")
      try await mina.object("say", "#ios", "in the channel")
      let live = try await watch.output.next()
      #expect(live.contains(#""content":"in the channel""#))
      #expect(live == (try await mina.run("history", "#ios", "--json").output.last), "byte for byte")
      try await mina.object("say", "@Joon", "direct")
      let direct = try await watch.output.next()
      #expect(direct.contains(#""content":"direct""#))
      for line in [live, direct] {
        CommandLineShapes.documented.check(
          [try JSONDecoder().decode([String: JSONValue].self, from: Data(line.utf8))], of: ["watch"])
      }
      try await joon.object("say", "#ios", "my own")
      #expect(try await watch.output.next().contains(#""content":"my own""#))
      #expect(await watch.status() == 0)
      #expect(await watch.errors.rest() == [])
      #expect(try await joon.run("unread", "--json").objects().allSatisfy { $0["count"] == .number(0) })
    }
  }

  @Test("watch ends after --timeout, which is a failure only if --count was given")
  func watchTimeout() async throws {
    try await withTwo { mina, _ in
      #expect(try await mina.run("watch", "#ios", "--timeout", "0.2").status == 0)
      let outcome = try await mina.run("watch", "#ios", "--timeout", "0.2", "--count", "1")
      #expect(outcome.status == 1)
    }
  }

  @Test("an unknown room is refused")
  func noRoom() async throws {
    try await withTwo { mina, _ in
      let outcome = try await mina.run("watch", "#nowhere")
      #expect(outcome.status == 1)
      #expect(outcome.errors == ["madang: there is no channel #nowhere in Builders"])
    }
  }
}
