import Testing

@Suite("madang: usage and exit statuses", .serialized, .timeLimit(.minutes(1)))
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
      ["channel", "transfer", "#ios"], ["profile", "edit"],
      ["login", "a@b.co", "--password-stdin", "--password-file", "x", "--server", "127.0.0.1:1"],
      ["login", "a@b.co", "--server", "127.0.0.1:1"],
    ])
  func usage(_ arguments: [String]) async throws {
    let outcome = try await run(arguments, ["MADANG_PROFILE": "/nonexistent/p.json"])
    #expect(outcome.status == 64)
    #expect(outcome.output == [])
    #expect(!outcome.errors.isEmpty)
  }

  @Test("without any server known, usage says how to name one")
  func noServer() async throws {
    let outcome = try await run(["whoami"], ["MADANG_PROFILE": "/nonexistent/p.json"])
    #expect(outcome.status == 64)
    #expect(outcome.errors.first?.contains("--server") == true)
  }

  @Test("a server that is not there is status 69")
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
}
