import Foundation
import MadangAPI
import Testing

@Suite("madang: the wire contract", .serialized, .timeLimit(.minutes(10)))
struct CommandLineConformanceTests {
  @Test("results go to a file and to standard output with the same bytes each time; without violations the status is 0")
  func outcomes() async throws {
    try await TestServer.run { server in
      let shell = Shell("tester", at: server)
      let file = server.folder.appending(path: "results.jsonl")
      let pages = server.folder.appending(path: "pages")
      let arguments = [
        "conformance", server.url, "--dev", "--only", "key.", "--only", "errors.*", "--results", file.path, "--pages",
        pages.path, "--json",
      ]
      let program = try shell.start(arguments)
      async let output = program.output.rest()
      async let errors = program.errors.rest()
      let first = await Shell.Outcome(status: program.status(), output: output, errors: errors)
      #expect(first.status == 0)
      #expect(first.errors == [])
      let objects = try first.objects()
      CommandLineShapes.documented.check(objects, of: arguments)
      #expect(objects.count == 26)
      #expect(objects.allSatisfy { $0["outcome"] == .text("passed") && $0["evidence"] == .other })
      let written = try Data(contentsOf: file)
      #expect(String(decoding: written, as: UTF8.self) == first.output.joined(separator: "\n") + "\n")
      #expect(try Data(contentsOf: pages.appending(path: "results.jsonl")) == written)
      let page = try String(contentsOf: pages.appending(path: "README.md"), encoding: .utf8)
      #expect(page.contains("| key | 14 | 0 | 0 |") && page.contains("[results.jsonl](results.jsonl)"))
      let links = page.matches(of: /\]\(([^)]*)\)/).map { String($0.1) }
      #expect(links.count == 4)
      #expect(links.allSatisfy { FileManager.default.fileExists(atPath: pages.appending(path: $0).path) }, "\(links)")

      let again = try await shell.run(
        "conformance", server.url, "--dev", "--only", "key.", "--only", "errors.*", "--results", file.path)
      #expect(again.status == 0)
      #expect(again.output.contains { $0.hasPrefix("errors") && $0.contains("12") })
      #expect(try Data(contentsOf: file) == written)
    }
  }

  @Test("a violation is status 1, with its rule, its section, its evidence and its request, which a shell can repeat")
  func violation() async throws {
    try await TestServer.run { server in
      let file = server.folder.appending(path: "results.jsonl")
      let shell = Shell("tester", at: server, environment: ["MADANG_DEV_URL": server.url])
      let fault = #"{"match":{"operation":"signUp"},"effect":{"kind":"status","status":400}}"#
      _ = try await shell.object("dev", "faults", "add", fault)
      let outcome = try await shell.run(
        "conformance", server.url, "--key", DevelopmentKey.october2024, "--only", "users.join.shape", "--results",
        file.path)
      #expect(outcome.status == 1)
      #expect(outcome.errors.last == "madang: 1 violation")
      #expect(outcome.output.contains { $0.hasPrefix("users.join.shape (2024-10), Objects: ") })
      #expect(outcome.output.contains { $0.hasPrefix("  expected a success; seen POST /v1/users/join answered 400") })
      let request = try #require(outcome.output.last)
      let program = try Program(
        "/bin/bash", ["-c", request], environment: ["KEY": DevelopmentKey.october2024, "http_proxy": ""])
      #expect(await program.output.rest().first?.contains("400") == true, "\(request)")
    }
  }

  @Test("a key that the server refuses is reported once, without its text, and no rule is blamed")
  func refusedKey() async throws {
    try await TestServer.run { server in
      let file = server.folder.appending(path: "results.jsonl")
      let shell = Shell("tester", at: server)
      let one = try await shell.run(
        "conformance", server.url, "--key", "no-such-key", "--only", "users.join.shape", "--results", file.path)
      #expect(one.status == 1 && one.output == [])
      #expect(
        one.errors == [
          "madang: the server refuses the key of edition 2024-10 (E01), so no rule was tried; give the right one with "
            + "--key KEY --edition 2024-10"
        ], "\(one.errors)")
      let other = try await shell.run(
        "conformance", server.url, "--key", DevelopmentKey.october2024, "--key-2024-01", "no-such-key", "--only",
        "users.join.shape", "--results", file.path)
      #expect(other.status == 1 && other.errors.count == 1)
      #expect(other.errors.first?.hasSuffix("with --key-2024-01 KEY") == true, "\(other.errors)")
      #expect(!FileManager.default.fileExists(atPath: file.path))
    }
  }

  @Test("a key of the other edition ends the run before any rule is tried, with the option that is right for it")
  func otherKey() async throws {
    let (october, january) = (DevelopmentKey.october2024, DevelopmentKey.january2024)
    let none = "so no rule was tried"
    try await TestServer.run { server in
      let file = server.folder.appending(path: "results.jsonl")
      for (arguments, words) in [
        (
          ["--key", october, "--edition", "2024-01"],
          "the key for edition 2024-01 is one of edition 2024-10, \(none); give it with --key KEY --edition 2024-10"
        ),
        (
          ["--key-2024-10", january],
          "the key for edition 2024-10 is one of edition 2024-01, \(none); give it with --key-2024-01 KEY"
        ),
        (
          ["--key-2024-10", january, "--key-2024-01", october],
          "the keys of the two editions are exchanged, \(none)"
        ),
      ] {
        let outcome = try await Shell("tester", at: server).run(
          ["conformance", server.url, "--results", file.path] + arguments)
        #expect(outcome.status == 1 && outcome.output == [])
        #expect(outcome.errors == ["madang: \(words)"], "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: file.path))
      }
    }
  }

  @Test("a server that only writes empty answers as the other edition does is tried")
  func oneSign() async throws {
    try await TestServer.run { server in
      let shell = Shell("tester", at: server, environment: ["MADANG_DEV_URL": server.url])
      let fault = #"{"match":{"operation":"validateEmail"},"effect":{"kind":"status","status":200,"body":"{}"}}"#
      _ = try await shell.object("dev", "faults", "add", fault)
      let outcome = try await shell.run(
        "conformance", server.url, "--key", DevelopmentKey.january2024, "--edition", "2024-01", "--only",
        "answers.empty",
        "--results", server.folder.appending(path: "results.jsonl").path)
      #expect(outcome.errors.last == "madang: 1 violation", "\(outcome.errors)")
    }
  }

  @Test(
    "without a terminal a line shows the progress every few seconds; a signal ends the run with the outcomes until then",
    arguments: [SIGINT, SIGTERM])
  func interrupted(_ signal: Int32) async throws {
    try await TestServer.run { server in
      let (file, junit) = (
        server.folder.appending(path: "results.jsonl"), server.folder.appending(path: "results.xml")
      )
      // The ping comes after 25 s.
      let program = try Shell("tester", at: server).start([
        "conformance", server.url, "--key", DevelopmentKey.october2024, "--only", "key.missing", "--only",
        "sockets.ping",
        "--results", file.path, "--junit", junit.path,
      ])
      _ = try await program.errors.next(beginning: "trying rules: 2 of 3 (66%)")
      program.signal(signal)
      #expect(
        try await program.errors.next(beginning: "madang")
          == "madang: ended by a signal; \(file.path) holds 2 of 3 outcomes")
      #expect(await program.status() == 128 + signal)
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      #expect(lines.count == 2 && lines.allSatisfy { $0.contains(#""rule":"key.missing""#) })
      #expect(try String(contentsOf: junit, encoding: .utf8).contains("name=\"key.missing (2024-10)\""))
    }
  }

  @Test("a server on which sign-up fails is one finding")
  func nobodySignsUp() async throws {
    try await TestServer.run { server in
      let shell = Shell("tester", at: server, environment: ["MADANG_DEV_URL": server.url])
      let fault = #"{"match":{"operation":"signUp"},"effect":{"kind":"status","status":400,"code":"E99"}}"#
      _ = try await shell.object("dev", "faults", "add", fault)
      let outcome = try await shell.run(
        "conformance", server.url, "--key", DevelopmentKey.october2024, "--only", "refresh.", "--results",
        server.folder.appending(path: "results.jsonl").path)
      #expect(outcome.status == 1)
      let heading = outcome.output.first { $0.contains(" rules: ") } ?? ""
      #expect(heading.hasSuffix(" rules: Signing up fails, and most rules begin with it: fix it first."), "\(heading)")
      #expect(outcome.output.count { $0.contains("seen POST /v1/users/join answered 400") } == 1)
      #expect(outcome.output.last?.hasPrefix("  also: refresh.") == true, "\(outcome.output)")
      #expect(outcome.errors.last?.hasSuffix(" violations with one cause") == true, "\(outcome.errors)")
    }
  }

  @Test("a run that tries no rule is status 1 and reports the reason")
  func nothingTried() async throws {
    try await TestServer.run { server in
      let file = server.folder.appending(path: "results.jsonl")
      let outcome = try await Shell("tester", at: server).run(
        "conformance", server.url, "--key", DevelopmentKey.october2024, "--only", "payments.shape", "--results",
        file.path)
      #expect(outcome.status == 1)
      #expect(outcome.errors.last?.hasPrefix("madang: no rule was tried: ") == true, "\(outcome.errors)")
      #expect(
        outcome.errors.last?.contains("1 skipped, as the calls of a server in development mode are needed (--dev)")
          == true, "\(outcome.errors)")
    }
  }

  @Test("a pattern that matches no rule is wrong usage, even if others match; a similar name is suggested")
  func typo() async throws {
    for (pattern, words) in [
      ("refersh.", "did you mean 'refresh.'?"), ("errors.onekey", "did you mean 'errors.one-key'?"),
      ("nothing-like-it", "'madang conformance --list' lists them"),
    ] {
      let program = try Program("madang", ["conformance", "--list", "--only", "key.", "--only", pattern])
      async let output = program.output.rest()
      async let errors = program.errors.rest()
      #expect(await program.status() == 64)
      #expect(await output == [])
      let first = await errors.first
      #expect(first?.contains("--only: no rule matches '\(pattern)'; \(words)") == true, "\(first ?? "")")
    }
  }

  @Test("the rules are listed without a server")
  func list() async throws {
    let program = try Program("madang", ["conformance", "--list", "--only", "refresh.", "--json"])
    async let output = program.output.rest()
    async let errors = program.errors.rest()
    let outcome = await Shell.Outcome(status: program.status(), output: output, errors: errors)
    #expect(outcome.status == 0 && outcome.errors == [])
    let objects = try outcome.objects()
    CommandLineShapes.documented.check(objects, of: ["conformance"])
    #expect(objects.contains { $0["rule"] == .text("refresh.early-2024-01") && $0["editions"] == .texts(["2024-01"]) })
  }

  @Test("the reason why no server answers is given in a few words")
  func unreachable() async throws {
    let program = try Program("madang", ["conformance", "127.0.0.1:1", "--key", "k", "--only", "key."])
    async let output = program.output.rest()
    async let errors = program.errors.rest()
    #expect(await program.status() == 69)
    #expect(await output == [])
    #expect(await errors == ["madang: http://127.0.0.1:1 cannot be reached: Connection refused"])
  }

  @Test(
    "wrong usage is status 64; a server that cannot be reached is status 69",
    arguments: [
      (["conformance"], 64), (["conformance", "127.0.0.1:1"], 64), (["conformance", "ftp://x", "--key", "k"], 64),
      (["conformance", "127.0.0.1:1", "--key", "k", "--edition", "2023"], 64),
      (["conformance", "127.0.0.1:1", "--key", "k", "--only", "no-such-rule"], 64),
      (["conformance", "127.0.0.1:1", "--key", "k", "--parallel", "0"], 64),
      (["conformance", "127.0.0.1:1", "--key", "k", "--timeout", "soon"], 64),
      (["conformance", "127.0.0.1:1", "--key", "k", "--only", "key."], 69),
    ] as [([String], Int32)])
  func refused(_ arguments: [String], _ status: Int32) async throws {
    let program = try Program("madang", arguments)
    async let output = program.output.rest()
    async let errors = program.errors.rest()
    #expect(await program.status() == status)
    #expect(await output == [])
    #expect(await !errors.isEmpty)
  }
}
