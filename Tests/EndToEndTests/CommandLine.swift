import Foundation
import Testing

/// A person at a shell, who runs the client commands of `madang` with a profile of their own.
struct Shell {
  let server: TestServer
  let profile: URL
  /// Variables other than the server and the profile.
  let environment: [String: String]

  init(_ name: String, at server: TestServer, environment: [String: String] = [:]) {
    self.server = server
    self.environment = environment
    profile = server.folder.appending(path: "profiles").appending(path: "\(name).json")
  }

  var variables: [String: String] {
    ["MADANG_PROFILE": profile.path, "MADANG_SERVER": server.url].merging(environment) { $1 }
  }

  struct Outcome {
    let status: Int32
    let output: [String]
    let errors: [String]

    /// The lines of standard output, each one JSON object.
    func objects() throws -> [[String: JSONValue]] {
      try output.map { try JSONDecoder().decode([String: JSONValue].self, from: Data($0.utf8)) }
    }
  }

  func start(_ arguments: [String], environment: [String: String] = [:], input: String = "") throws -> Program {
    try Program("madang", arguments, environment: variables.merging(environment) { $1 }, input: input)
  }

  func run(_ arguments: String..., environment: [String: String] = [:], input: String = "") async throws -> Outcome {
    try await run(arguments, environment: environment, input: input)
  }

  func run(_ arguments: [String], environment: [String: String] = [:], input: String = "") async throws -> Outcome {
    let program = try start(arguments, environment: environment, input: input)
    async let output = program.output.rest()
    async let errors = program.errors.rest()
    return await Outcome(status: program.status(), output: output, errors: errors)
  }

  /// Runs a command that must succeed, and returns the one object that it prints with `--json`, after checking it against the manual.
  @discardableResult
  func object(_ arguments: String...) async throws -> [String: JSONValue] {
    let objects = try await objects(arguments)
    try #require(objects.count == 1)
    return objects[0]
  }

  /// Runs a command that must succeed, and returns what it prints with `--json`, after checking it against the manual.
  func objects(_ arguments: String...) async throws -> [[String: JSONValue]] { try await objects(arguments) }

  /// Runs a command that must be refused with status 1 and without output. Returns the code: the first word of its message.
  func refusal(_ arguments: String...) async throws -> String {
    let program = try start(arguments)
    async let output = program.output.rest()
    async let errors = program.errors.rest()
    #expect(await program.status() == 1)
    #expect(await output == [])
    return await errors.first.map { String($0.dropFirst("madang: ".count).prefix { $0 != ":" }) } ?? ""
  }

  private func objects(_ arguments: [String]) async throws -> [[String: JSONValue]] {
    let program = try start(arguments + ["--json"])
    async let output = program.output.rest()
    async let errors = program.errors.rest()
    let outcome = await Outcome(status: program.status(), output: output, errors: errors)
    try #require(outcome.status == 0, "\(arguments): \(outcome.errors)")
    #expect(outcome.errors == [], "with --json nothing but data is said")
    let objects = try outcome.objects()
    CommandLineShapes.documented.check(objects, of: arguments)
    return objects
  }

  func signUp(_ nickname: String) async throws {
    let email = "\(nickname.lowercased())@example.com"
    let outcome = try await run(
      "signup", email, "--nickname", nickname, "--password-stdin", "--json", input: "Passw0rd!\n")
    try #require(outcome.status == 0, "\(outcome.errors)")
    CommandLineShapes.documented.check(try outcome.objects(), of: ["signup"])
  }
}

/// The kinds of values that the tests examine in an object.
enum JSONValue: Decodable, Equatable {
  case text(String)
  case number(Int)
  case bool(Bool)
  case texts([String])
  case other

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let bool = try? container.decode(Bool.self) {
      self = .bool(bool)
    } else if let number = try? container.decode(Int.self) {
      self = .number(number)
    } else if let texts = try? container.decode([String].self) {
      self = .texts(texts)
    } else {
      self = .other
    }
  }
}
