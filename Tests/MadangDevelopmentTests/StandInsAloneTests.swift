import AsyncHTTPClient
import Foundation
import Logging
import MadangDevelopment
import MadangOperations
import MadangServer
import NIOCore
import NIOHTTP1
import Support
import Testing

@Suite("Development mode without the kit", .timeLimit(.minutes(5)))
struct StandInsAloneTests {
  @Test("stand-ins take calls, and the calls of the kit are unknown")
  func calls() async throws {
    var settings = World.settings
    settings.dataDirectory = FileManager.default.temporaryDirectory.appending(path: "madang-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: settings.dataDirectory) }
    var logger = Logger(label: "test")
    logger.logLevel = .error
    let server = try await makeServerWithStandIns(settings, logger: logger)
    let running = Task { try await server.run() }
    let port = try await server.port
    func call(_ path: String, _ body: String? = nil) async throws -> (status: UInt, body: String) {
      var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/\(path)")
      if let body { (request.method, request.body) = (.POST, .bytes(ByteBuffer(string: body))) }
      let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(120))
      return (answer.status.code, String(buffer: try await answer.body.collect(upTo: 1 << 20)))
    }
    #expect(
      try await call("_dev/payments", #"{"merchant_uid":"m","amount":100,"imp_uid":"i"}"#).body == #"{"imp_uid":"i"}"#)
    #expect(try await call("_dev/payments", "{}") == (400, #"{"error":"merchant_uid: is missing"}"#))
    #expect(try await call("_dev/mails?to=mina@example.com") == (200, "[]"))
    #expect(try await call("_dev/pushes") == (200, "[]"))
    #expect(try await call("_dev/journal").status == 404)
    running.cancel()
    _ = await running.result
  }
}
