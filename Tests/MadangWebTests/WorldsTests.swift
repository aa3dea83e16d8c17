import AsyncHTTPClient
import Logging
import MadangWeb
import NIOCore
import NIOHTTP1
import Support
import Testing

import struct MadangDevelopment.Seed
import struct MadangDevelopment.WorldPlan
import class MadangDevelopment.Worlds

@Suite("Pages of worlds", .timeLimit(.minutes(5)))
struct WorldsTests {
  @Test("each world has the chat, with sessions of its own")
  func worlds() async throws {
    var logger = Logger(label: "test")
    logger.logLevel = .error
    let worlds = try Worlds(logger: logger)
    do {
      var cookies: [String] = []
      for _ in 1...2 {
        let url = try await worlds.make(WorldPlan(seed: try Seed(.courtyard))).url
        let page = try await HTTPClient.shared.execute(HTTPClientRequest(url: url + "/"), timeout: .seconds(30))
        #expect(page.status == .ok && page.headers["Content-Type"] == ["text/html; charset=utf-8"])
        let session = try await HTTPClient.shared.execute(
          HTTPClientRequest(url: url + "/web/session"), timeout: .seconds(30))
        let text = String(buffer: try await session.body.collect(upTo: 10_000))
        #expect(text.hasPrefix(#"{"account":null,"#))
        cookies += session.headers["Set-Cookie"]
      }
      #expect(Set(cookies).count == 2)
    } catch {
      await worlds.removeAll()
      throw error
    }
    await worlds.removeAll()
  }
}
