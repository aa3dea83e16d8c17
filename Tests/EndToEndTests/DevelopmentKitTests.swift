import AsyncHTTPClient
import Foundation
import MadangAPI
import MadangClient
import NIOCore
import NIOHTTP1
import Testing

@Suite("The test kit of a development server")
struct DevelopmentKitTests {
  private func call(_ server: TestServer, _ path: String, _ body: String? = nil) async throws -> String {
    var request = HTTPClientRequest(url: server.url + path)
    if let body {
      request.method = .POST
      request.body = .bytes(Array(body.utf8))
    }
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
    return String(buffer: try await response.body.collect(upTo: 1 << 20))
  }

  @Test("'madang serve --dev' injects faults")
  func faults() async throws {
    try await TestServer.run { server in
      try await server.withPerson("Mina") { mina in
        let rule = #"{"match":{"operation":"me","nth":2},"effect":{"kind":"status","status":500,"code":"E99"}}"#
        #expect(try await call(server, "/_dev/faults", rule) == #"{"id":1}"#)
        _ = try await mina.me()
        await #expect(throws: MadangError.refused(.serverFailure, status: 500)) { try await mina.me() }
        _ = try await mina.me()
        #expect(try await call(server, "/_dev/faults").contains(#""applied":1,"#))
      }
    }
  }
}
