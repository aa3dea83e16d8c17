import AsyncHTTPClient
import Foundation
import MadangAPI
import MadangClient
import NIOCore
import NIOHTTP1
import Support
import Testing

/// `madang serve --dev` as a process, with data of its own.
final class TestServer: Sendable {
  let program: Program
  let url: String
  let folder: URL
  private let environment: [String: String]

  private init(program: Program, url: String, folder: URL, environment: [String: String]) {
    self.program = program
    self.url = url
    self.folder = folder
    self.environment = environment
  }

  /// Runs `body` with a server, which must stop with status 0 afterwards.
  /// - Parameter environment: Settings in addition to those of all tests.
  static func run(environment: [String: String] = [:], _ body: (TestServer) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try await start(in: folder, port: 0, environment)
    try await body(server)
    guard server.program.isRunning else { return }
    server.program.signal(SIGTERM)
    #expect(await server.program.status() == 0)
  }

  /// Settings that make password hashing nearly free.
  static let cheapPasswords = ["MADANG_PASSWORD_MEMORY": "8", "MADANG_PASSWORD_PASSES": "1"]

  private static func start(in folder: URL, port: Int, _ environment: [String: String]) async throws -> TestServer {
    let program = try Program(
      "madang", ["serve", "--dev", "--port", String(port), "--data", folder.appending(path: "data").path],
      environment: environment.merging(Self.cheapPasswords) { $1 })
    let ready = "madang listening on "
    let line = try await program.output.next(beginning: ready)
    return TestServer(
      program: program, url: String(line.dropFirst(ready.count)), folder: folder, environment: environment)
  }

  /// The server with the same data and address, started again. The former one must have ended.
  func restarted() async throws -> TestServer {
    try await Self.start(in: folder, port: port, environment)
  }

  var port: Int { get throws { try #require(URL(string: url)?.port) } }

  /// Advances the server's clock.
  func advanceClock(seconds: Int) async throws {
    _ = try await develop("/_dev/clock", #"{"advance":\#(seconds)}"#)
  }

  /// Records a payment, which the server's built-in verifier then knows.
  func pay(_ json: String) async throws { _ = try await develop("/_dev/payments", json) }

  /// Makes a development call.
  private func develop(_ path: String, _ body: String) async throws -> Data {
    var request = HTTPClientRequest(url: url + path)
    request.method = .POST
    request.body = .bytes(Array(body.utf8))
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
    try #require(response.status == .ok)
    return Data(try await response.body.collect(upTo: 1 << 20).readableBytesView)
  }

  func client(store: SessionStore = .inMemory) -> MadangClient {
    MadangClient(
      configuration: .init(server: url, apiKey: DevelopmentKey.october2024), store: store)
  }

  /// Runs `body` with the client of a new account.
  func withPerson(
    _ nickname: String, store: SessionStore = .inMemory, _ body: (MadangClient) async throws -> Void
  ) async throws {
    try await MadangClient.withPerson(nickname, by: client(store: store), body)
  }
}
