import Foundation
import Testing

@Suite("madang: usage and exit statuses", .serialized, .timeLimit(.minutes(10)))
struct CommandLineUsageTests {
  private func run(
    _ arguments: [String], _ environment: [String: String] = [:]
  ) async throws -> (status: Int32, output: [String], errors: [String]) {
    let program = try Program("madang", arguments, environment: environment)
    async let output = program.output.rest()
    async let errors = program.errors.rest()
    return await (program.status(), output, errors)
  }

  @Test(
    "wrong usage is status 64, explained on standard error",
    arguments: [
      ["nonsense"], ["say"], ["say", "#ios"], ["signup", "a@b.co"], ["watch"], ["watch", "#a", "--count", "0"],
      ["file", "get", "/static/x/y", "--json"], ["whoami", "--server", "ftp://x"],
      ["whoami", "--profile", ""], ["workspace", "edit"], ["workspace", "delete"], ["channel", "delete", "#ios"],
      ["channel", "transfer", "#ios"], ["profile", "edit"], ["chat", "#ios"], ["store", "buy", "one"],
      ["admin", "users", "disable", "a@b.co"], ["admin", "keys", "create", "x", "--edition", "2023"],
      ["login", "a@b.co", "--password-stdin", "--password-file", "x", "--server", "127.0.0.1:1"],
      ["login", "a@b.co", "--server", "127.0.0.1:1"],
    ])
  func usage(_ arguments: [String]) async throws {
    let outcome = try await run(arguments, ["MADANG_PROFILE": "/nonexistent/p.json"])
    #expect(outcome.status == 64)
    #expect(outcome.output == [])
    #expect(!outcome.errors.isEmpty)
  }

  @Test("the version is printed, also in the help")
  func version() async throws {
    let told = try await run(["--version"])
    #expect(told.status == 0 && told.errors == [])
    let version = try #require(told.output.first?.wholeMatch(of: /madang ([0-9]+\.[0-9]+\.[0-9]+)/)?.1)
    #expect(try await run(["--help"]).output.contains("This is version \(version)."))
    let licences = try await run(["--version", "--licences"])
    #expect(licences.status == 0 && licences.output.first == "madang \(version) is under the MIT License.")
    #expect(licences.output.dropFirst().contains { $0.contains("licences") })
  }

  @Test(
    "an unknown command is reported with a suggestion",
    arguments: [
      (["dev", "clocks"], "'madang dev clocks'; did you mean 'madang dev clock'?", "madang dev"),
      (
        ["dev", "worlds", "snapshots", "w1"],
        "'madang dev worlds snapshots'; did you mean 'madang dev worlds snapshot'?",
        "madang dev worlds"
      ),
      (["dev", "clock", "shwo"], "'madang dev clock shwo'; did you mean 'madang dev clock show'?", "madang dev clock"),
      (["x"], "'madang x'.", "madang"),
    ])
  func mistypedCommand(_ arguments: [String], _ words: String, _ group: String) async throws {
    let outcome = try await run(arguments)
    #expect(outcome.status == 64 && outcome.output == [])
    #expect(
      outcome.errors == [
        "Error: There is no command \(words)", "Usage: \(group) <subcommand>",
        "  See '\(group) --help' for more information.",
      ], "\(outcome.errors)")
  }

  @Test("an argument that may be any word is not reported as a mistyped command")
  func words() async throws {
    let outcome = try await run(["profile", "somebody"], ["MADANG_PROFILE": "/nonexistent/p.json"])
    #expect(outcome.errors.first?.contains("Give --server") == true, "\(outcome.errors)")
  }

  @Test(
    "wrong usage that is found late names the whole command",
    arguments: [
      (["dev", "clock", "--url", "ftp://x"], "madang dev clock"),
      (["dev", "clock", "rate", "-1"], "madang dev clock rate"),
      (["dev", "clock", "advance", "-25h"], "madang dev clock advance"),
      (["conformance", "127.0.0.1:1/v1", "--key", "k"], "madang conformance"),
    ])
  func wholeCommand(_ arguments: [String], _ command: String) async throws {
    let outcome = try await run(arguments)
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains { $0.hasPrefix("Usage: \(command) ") }, "\(outcome.errors)")
    #expect(outcome.errors.last == "  See '\(command) --help' for more information.", "\(outcome.errors)")
  }

  @Test("a group without a command prints its help under its whole name")
  func group() async throws {
    let outcome = try await run(["dev", "worlds"])
    #expect(
      outcome.status == 0 && outcome.output.contains("USAGE: madang dev worlds <subcommand>"), "\(outcome.output)")
  }

  @Test("if no server is known, the usage error explains how to name one")
  func noServer() async throws {
    let outcome = try await run(["whoami"], ["MADANG_PROFILE": "/nonexistent/p.json"])
    #expect(outcome.status == 64)
    #expect(outcome.errors.first?.contains("no profile /nonexistent/p.json. Give --server") == true)
  }

  @Test("a server that cannot be reached is status 69")
  func unreachable() async throws {
    let profile = ["MADANG_PROFILE": "/nonexistent/p.json"]
    let program = try Program(
      "madang", ["login", "a@b.co", "--password-stdin", "--server", "127.0.0.1:1"], environment: profile, input: "x\n")
    async let output = program.output.rest()
    async let errors = program.errors.rest()
    #expect(await program.status() == 69)
    #expect(await output == [])
    #expect(await errors == ["madang: http://127.0.0.1:1 cannot be reached: Connection refused"])
  }

  @Test("shells accept the completion scripts, and man accepts the manual page")
  func manual() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-manual-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let readers = [
      (["completions", "bash"], "/bin/bash", ["-n"]), (["completions", "zsh"], "/usr/bin/zsh", ["-n"]),
      (["completions", "fish"], "/usr/bin/fish", ["-n"]),
      (["man"], "/usr/bin/man", ["--warnings", "-E", "UTF-8", "-Tutf8", "-l"]),
    ]
    for (arguments, reader, options) in readers {
      let made = try await run(arguments)
      #expect(made.status == 0)
      #expect(made.output.count > 100)
      #expect(made.errors == [])
      guard FileManager.default.isExecutableFile(atPath: reader) else { continue }
      let file = folder.appending(path: arguments.joined(separator: "."))
      try Data((made.output.joined(separator: "\n") + "\n").utf8).write(to: file)
      let program = try Program(reader, options + [file.path])
      async let output = program.output.rest()
      async let errors = program.errors.rest()
      #expect(await program.status() == 0, "\(reader)")
      #expect(await errors == [], "\(reader)")
      _ = await output
    }
    #expect(try await run(["completions", "csh"]).status == 64)
  }
}
