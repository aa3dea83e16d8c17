#if os(Linux)
  import AsyncHTTPClient
  import Foundation
  import MadangAPI
  import NIOCore
  import NIOHTTP1
  import Testing

  @Suite("madang serve with a log that no program reads", .timeLimit(.minutes(5)))
  struct UnreadLogTests {
    @Test("requests are answered, and SIGTERM ends the server", arguments: ["text", "json"])
    func unread(_ format: String) async throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "madang-unread-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let (given, output, errors) = (try Spawn.pipe(), try Spawn.pipe(), try Spawn.pipe())
      // F_SETPIPE_SZ
      try #require(fcntl(errors.write, 1031, 4096) >= 0)
      defer { close(errors.read) }
      let environment = TestServer.cheapPasswords.merging(["MADANG_LOG_FORMAT": format, "TZ": "UTC"]) { $1 }
      let pid = try Spawn.start(
        Program.executable("madang"),
        ["serve", "--dev", "--port", "0", "--data", folder.appending(path: "data").path],
        environment: environment, input: given.read, output: output.write, errors: errors.write)
      for descriptor in [given.read, given.write, output.write, errors.write] { close(descriptor) }
      let (ended, end) = AsyncStream.makeStream(of: Int32.self)
      Spawn.wait(for: pid) {
        end.yield($0)
        end.finish()
      }
      var isOver = false
      defer { if !isOver { kill(pid, SIGKILL) } }

      let ready = "madang listening on "
      let url = String(try await Lines(output.read).next(beginning: ready).dropFirst(ready.count))
      // Each request writes a line of the log; the pipe holds only some.
      for number in 0..<60 {
        var request = HTTPClientRequest(url: "\(url)/v1/users/login")
        request.method = .POST
        request.headers = ["SesacKey": DevelopmentKey.october2024, "Content-Type": "application/json"]
        request.body = .bytes(Array(#"{"email":"x\#(number)@example.com","password":"wrong"}"#.utf8))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
        #expect(response.status.code < 500)
      }
      let alive = try await HTTPClient.shared.execute(HTTPClientRequest(url: "\(url)/livez"), timeout: .seconds(20))
      #expect(alive.status == .ok)

      kill(pid, SIGTERM)
      let began = ContinuousClock.now
      let status = await ended.first { _ in true }
      isOver = true
      #expect(status == 0)
      #expect(ContinuousClock.now - began < .seconds(60))
    }
  }
#endif
