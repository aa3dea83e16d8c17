import Conformance
import NIOCore
import NIOPosix
import Testing

/// At a broken server every rule must end, and say why.
@Suite("Conformance of broken servers", .timeLimit(.minutes(5)))
struct DeadServerTests {
  private static let rules = Suite.rules(matching: ["key.", "sockets.open.polling", "sockets.connect.main"])

  /// Runs rules against a listener that treats connections in its own way.
  private static func outcomes(_ treat: @escaping @Sendable (any Channel) -> Void) async throws -> [Outcome] {
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        treat(channel)
        return channel.eventLoop.makeSucceededVoidFuture()
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let url = "http://127.0.0.1:\(listener.localAddress?.port ?? 0)"
    let outcomes = try await ServerUnderTest.with(url, keys: SuiteTests.keys) {
      await Runner($0, rules, timeLimit: .seconds(3)).run()
    }
    try await listener.close()
    return outcomes
  }

  private static func check(_ outcomes: [Outcome]) {
    for outcome in outcomes where outcome.outcome != .skipped {
      #expect(outcome.outcome == .violated, "\(outcome.rule)")
      #expect(outcome.evidence?.isEmpty == false, "\(outcome.rule)")
    }
    #expect(outcomes.contains { $0.outcome == .violated })
  }

  @Test("rules fail in time at a server that never answers")
  func silent() async throws { Self.check(try await Self.outcomes { _ in }) }

  @Test("rules fail at a server that drops connections")
  func dropping() async throws { Self.check(try await Self.outcomes { $0.close(promise: nil) }) }

  @Test(
    "rules fail at a server that answers nonsense", arguments: [#"{"a":[]"#, String(repeating: "[", count: 100_000)])
  func nonsense(_ start: String) async throws {
    let body = start + String(repeating: "]", count: start.hasPrefix("[") ? start.count : 0)
    Self.check(
      try await Self.outcomes { channel in
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        channel.writeAndFlush(ByteBuffer(string: head + body), promise: nil)
      })
  }
}
