import Foundation
import MadangClient
import Testing

@Suite("madang dev record", .serialized, .timeLimit(.minutes(5)))
struct CommandLineRecordTests {
  private static func run(_ body: (Shell, TestServer, String) async throws -> Void) async throws {
    try await TestServer.run { server in
      let shell = Shell("zoe", at: server, environment: ["MADANG_DEV_URL": server.url])
      try await body(shell, server, server.folder.appending(path: "session.yaml").path)
    }
  }

  /// Starts a recording of the server, and returns once it has begun.
  private static func recording(_ shell: Shell, _ file: String, _ options: String...) async throws -> Program {
    let program = try shell.start(["dev", "record", file] + options)
    let begun = try await program.errors.next()
    #expect(begun == "Recording. Use the client; Ctrl-C ends the recording and writes \(file).")
    return program
  }

  @Test("a signal ends the recording, and the file plays it again", arguments: [SIGINT, SIGTERM])
  func signals(_ signal: Int32) async throws {
    try await Self.run { shell, server, file in
      try await server.withPerson("Mina") { mina in
        _ = try await mina.createWorkspace(name: "Before")
        let program = try await Self.recording(shell, file, "--no-pauses")
        _ = try await mina.createWorkspace(name: "After")
        program.signal(signal)
        async let output = program.output.rest()
        #expect(await program.status() == 0)
        let lines = await output
        #expect(lines.contains { $0.hasPrefix("steps") && $0.hasSuffix(" 1") }, "\(lines)")
        #expect(lines.contains { $0.hasSuffix("madang dev worlds make --seed \(file)") }, "\(lines)")
        let counts = try await shell.object("dev", "seed", "check", file)
        #expect(counts["workspaces"] == .number(1) && counts["scripts"] == .number(1), "\(counts)")
        _ = try await shell.object("dev", "worlds", "make", "--seed", file)
        _ = try await shell.object("dev", "scripts", "start", "recorded", "--world", "w1")
        _ = try await shell.object("dev", "scripts", "wait", "recorded", "--within", "60s", "--world", "w1")
        let people = try await shell.objects("dev", "people", "list", "--world", "w1")
        #expect(people.first?["workspaces"] == .texts(["Before", "After"]), "\(people)")
      }
    }
  }

  @Test("a recording without a call is refused, and an existing file stays")
  func nothing() async throws {
    try await Self.run { shell, _, file in
      try Data("kept".utf8).write(to: URL(filePath: file))
      let outcome = try await shell.run("dev", "record", file, "--for", "10ms")
      #expect(outcome.status == 1)
      #expect(
        outcome.errors.last == "madang: nothing was done that a script can repeat; use the client while it is recorded",
        "\(outcome.errors)")
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "kept")
      let unknown = try await shell.run("dev", "record", file, "--account", "zoe")
      #expect(unknown.status == 1 && unknown.errors.last?.contains("there is no person") == true, "\(unknown.errors)")
    }
  }

  @Test("an archive becomes a seed without a server, also as JSON")
  func archive() async throws {
    try await Self.run { shell, server, file in
      try await server.withPerson("Mina") { mina in _ = try await mina.createWorkspace(name: "Trip") }
      let har = server.folder.appending(path: "traffic.har")
      try await shell.run("dev", "journal", "--har").output.joined(separator: "\n").write(
        to: har, atomically: true, encoding: .utf8)
      let report = try await shell.object(
        "dev", "record", file, "--har", har.path, "--name", "trip", "--no-pauses")
      #expect(report["name"] == .text("trip") && report["file"] == .text(file), "\(report)")
      #expect(try String(contentsOfFile: file, encoding: .utf8).contains("call: \"POST workspaces\""))
      let gone = try await shell.run("dev", "record", file, "--har", "/nonexistent.har")
      #expect(gone.status == 1 && gone.errors.last?.hasPrefix("madang: /nonexistent.har cannot be read: ") == true)
      let wrong = try await shell.run("dev", "record", file, "--har", file)
      #expect(wrong.status == 1 && wrong.errors.last?.contains("is no HTTP archive (HAR 1.2)") == true)
      let both = try await shell.run("dev", "record", file, "--har", har.path, "--world", "w1")
      #expect(both.status == 64 && both.errors.first?.contains("--har needs no server") == true, "\(both.errors)")
    }
  }
}
