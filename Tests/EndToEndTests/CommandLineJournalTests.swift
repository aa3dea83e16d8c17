import Foundation
import MadangClient
import Testing

@Suite("madang dev: the journal", .serialized, .timeLimit(.minutes(10)))
struct CommandLineJournalTests {
  @Test("the journal is shown, filtered and awaited, and a review reports problems")
  func journal() async throws {
    try await TestServer.run { server in
      let shell = Shell("nobody", at: server, environment: ["MADANG_DEV_URL": server.url])
      _ = try await shell.object("dev", "worlds", "make", "--seed", "courtyard", "--number", "7")
      // A review without any recorded call must not report success.
      let nothing = try await shell.run("dev", "review", "--world", "w1")
      #expect(nothing.status == 1 && nothing.output.isEmpty)
      #expect(nothing.errors == ["The journal has no calls of clients."])
      let own = try await shell.run("dev", "review")
      #expect(own.errors == ["The journal has no calls of clients; --world ID looks in a world's own."])
      _ = try await shell.object(
        "dev", "people", "act", "joon", "post", "Hello", "--in", "Weekend/ios", "--world", "w1")
      let world = try await shell.object("dev", "worlds", "list")
      guard case .text(let url)? = world["url"] else { return #expect(Bool(false), "\(world)") }
      let client = MadangClient(configuration: .init(server: url, apiKey: "wrong"), store: .inMemory)
      await #expect(throws: MadangError.self) { try await client.signIn(email: "mina@example.com", password: "x") }
      try await client.close()

      let entry = try #require(
        try await shell.run("dev", "journal", "code=E01", "--wait", "5s", "--json", "--world", "w1").objects().first)
      #expect(entry["path"] == .text("/v1/users/login") && entry["status"] == .number(400))
      let expected = #"{"expected":[{"code":"E01"}]}"#
      let outcome = try await shell.object("dev", "expect", expected, "--world", "w1")
      #expect(outcome["met"] == .bool(true))
      #expect(
        try await shell.run("dev", "expect", "-", "--world", "w1", input: expected).output[0].split(separator: " ") == [
          "met", "yes",
        ])
      let unmet = try await shell.run(
        "dev", "expect", #"{"expected":[{"code":"E01","times":0}]}"#, "--json", "--world", "w1")
      #expect(unmet.status == 1 && unmet.errors == [])
      #expect(try unmet.objects().first?["met"] == .bool(false))
      let none = try await shell.run("dev", "expect", #"{"expected":[{"code":"E05"}]}"#, "--world", "w1")
      #expect(none.status == 1 && none.output.last == "expected 1  no entry", "\(none.output)")
      let mistaken = try await shell.run("dev", "expect", #"{"expected":[{"code":"E1"}]}"#, "--world", "w1")
      #expect(mistaken.status == 64)
      #expect(mistaken.errors.first?.hasPrefix("madang: expected[0].code: 'E1' does not exist") == true)

      let table = try await shell.run("dev", "journal", "kind=request", "--world", "w1")
      #expect(table.status == 0 && table.output.last?.contains("POST /v1/users/login") == true)
      #expect(table.output.last?.contains("400, E01") == true)
      let late = try await shell.run("dev", "journal", "code=E05", "--wait", "10ms", "--world", "w1")
      #expect(late.status == 1 && late.errors.last == "madang: 0 of 1 matching entries came within 10ms")
      for time in ["0.01s", "1m"] {
        let had = try await shell.run("dev", "journal", "code=E01", "--wait", time, "--world", "w1")
        #expect(had.status == 0)
      }
      let few = try await shell.run(
        "dev", "journal", "code=E01", "--wait", "10ms", "--count", "2", "--json", "--world", "w1")
      #expect(few.status == 1 && few.output.count == 1)
      #expect(few.errors == ["madang: 1 of 2 matching entries came within 10ms"])
      let wrong = try await shell.run("dev", "journal", "colour=red", "--world", "w1")
      #expect(wrong.status == 64 && wrong.errors.first?.contains("colour: is not a parameter") == true)
      for (arguments, words) in [
        (["format=har"], "format: choose it with --json or --har."), (["wait=5s"], "wait: is an option, --wait."),
        (
          ["--wait", "soon"],
          "--wait: a length of time like 500ms, 5s, 10m, 25h or 30d, or a number of seconds, at most 1m."
        ),
        (
          ["--wait", "61s"],
          "--wait: a length of time like 500ms, 5s, 10m, 25h or 30d, or a number of seconds, at most 1m."
        ),
        (["--count", "2"], "--count says how many to wait for: it needs --wait."),
        (["--har", "--wait", "5s"], "Wait first, without --har; then print the archive without --wait."),
      ] {
        let refused = try await shell.run(["dev", "journal", "--world", "w1"] + arguments)
        #expect(refused.status == 64 && refused.errors.first == "Error: \(words)", "\(refused.errors)")
      }
      let archive = try await shell.run("dev", "journal", "--har", "--world", "w1")
      #expect(archive.output.joined().contains(#""version":"1.2""#))
    }
  }

  @Test("notifications are written as files for simulators")
  func pushes() async throws {
    try await TestServer.run { server in
      let shell = Shell("nobody", at: server, environment: ["MADANG_DEV_URL": server.url])
      _ = try await shell.object("dev", "worlds", "make", "--seed", "courtyard", "--number", "7")
      _ = try await shell.object("dev", "people", "act", "mina", "post", "Tea?", "--to", "sora", "--world", "w1")
      let sent = try await shell.run("dev", "journal", "kind=push", "--wait", "1m", "--world", "w1")
      #expect(sent.status == 0)
      let folder = server.folder.appending(path: "pushes")
      let written = try await shell.run(
        "dev", "pushes", "--apns", folder.path, "--bundle", "com.example.chat", "--world", "w1")
      #expect(written.status == 0 && written.output.count == 1, "\(written)")
      let file = try #require(written.output.first)
      #expect(file.hasSuffix("-sora@example.com.apns"))
      let payload = try String(contentsOf: URL(filePath: file), encoding: .utf8)
      #expect(
        payload.hasPrefix(#"{"Simulator Target Bundle":"com.example.chat","aps":{"alert":{"body":"Tea?","#),
        "\(payload)")
      #expect(try await shell.run("dev", "pushes", "--world", "w1").output.last?.contains("sora-phone") == true)
      #expect(try await shell.run("dev", "pushes", "--apns", folder.path).status == 64)
    }
  }
}
