import HTTPTypes
import Logging
import SocketIOProtocol
import SocketIOSupport
import Testing

@testable import SocketIOServer

@Suite("Admission", .timeLimit(.minutes(5)))
struct AdmissionTests {
  private struct Broken: Error, CustomStringConvertible {
    var description: String
  }

  private static let request = ConnectRequest(
    namespace: "/n", auth: [],
    handshake: Handshake(
      headers: [:], query: QueryString(""), remoteAddress: nil, transport: .webSocket, revision: .v4, issued: 0),
    origin: nil)

  @Test(
    "admission of a client that leaves ends with the current step, and logs nothing",
    arguments: [true, false])
  func cancellation(throwing: Bool) async throws {
    let (log, journal) = (LogRecorder(), Journal())
    let core = ServerCore(.init(), logger: log.logger, engineHandler: nil)
    var handlers = NamespaceHandlers()
    handlers.use { _, _ in
      await journal.add("first")
      do { try await Task.sleep(for: .seconds(3600)) } catch { if throwing { throw error } }
    }
    handlers.use { _, _ in await journal.add("second") }
    handlers.admit = { _ in
      await journal.add("admit")
      return .accept()
    }
    let deciding = Task { [handlers] in await handlers.decide(Self.request, core) == nil }
    await journal.wait(for: "first")
    deciding.cancel()
    #expect(await deciding.value)
    #expect(await journal.entries == ["first"] && log.lines.isEmpty)
  }

  @Test("a thrown error is logged shortened and on one line, because it may contain text of the client")
  func hostileText() async throws {
    let log = LogRecorder()
    try await TestServer.with(logger: log.logger) { (server) async throws in
      var handlers = NamespaceHandlers()
      handlers.use { request, _ in
        throw Broken(description: String(decoding: request.auth, as: UTF8.self) + "\nforged")
      }
      server.server.namespace("/broken", configure: handlers)
      let client = try await EngineClient(server, .webSocket)
      let long = String(repeating: "x", count: 5000)
      #expect(try await client.join("/broken", auth: #"{"t":"1"}"#) == #"44/broken,{"message":"Internal error"}"#)
      try await client.join("/broken", auth: #"{"t":"\#(long)"}"#)
      #expect(log.lines.first?.contains(#"{"t":"1"}\u{a}forged"#) == true && log.lines.count == 2)
      for line in log.lines { #expect(line.utf8.count < 1000 && !line.contains(where: \.isNewline)) }
    }
  }
}
