import Conformance
import NIOCore
import NIOPosix
import Synchronization
import Testing

/// At a broken server every rule must end, and say why.
@Suite("Conformance of broken servers", .timeLimit(.minutes(5)))
struct DeadServerTests {
  private static let rules = Suite.rules(matching: ["key.", "sockets.open.polling", "sockets.connect.main"])

  /// Runs rules against a listener that treats connections in its own way.
  /// - Parameters:
  ///   - timeLimit: Of each rule.
  ///   - last: The listener ends after so many outcomes.
  private static func outcomes(
    parallelism: Int = 12, timeLimit: Duration = .seconds(30), until last: Int = .max,
    _ treat: @escaping @Sendable (any Channel) -> Void
  ) async throws -> [Outcome] {
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        treat(channel)
        return channel.eventLoop.makeSucceededVoidFuture()
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let url = "http://127.0.0.1:\(listener.localAddress?.port ?? 0)"
    let count = Atomic(0)
    let outcomes = try await ServerUnderTest.with(url, keys: SuiteTests.keys) {
      await Runner($0, rules, parallelism: parallelism, timeLimit: timeLimit).run { _ in
        if count.add(1, ordering: .relaxed).newValue == last { listener.close(promise: nil) }
      }
    }
    try? await listener.close()
    return outcomes
  }

  private static func checkSilence(_ outcomes: [Outcome]) {
    #expect(outcomes.allSatisfy { $0.outcome == .skipped } && outcomes.contains { $0.isOfSilence })
  }

  private static func check(_ outcomes: [Outcome]) {
    for outcome in outcomes where outcome.outcome != .skipped {
      #expect(outcome.outcome == .violated, "\(outcome.rule)")
      #expect(outcome.evidence?.isEmpty == false, "\(outcome.rule)")
    }
    #expect(outcomes.contains { $0.outcome == .violated })
  }

  @Test("at a server that never answers no rule is violated, and all end in time")
  func silent() async throws { Self.checkSilence(try await Self.outcomes(timeLimit: .seconds(3)) { _ in }) }

  @Test("at a server that drops connections no rule is violated")
  func dropping() async throws { Self.checkSilence(try await Self.outcomes { $0.close(promise: nil) }) }

  @Test("a server that dies while rules are tried violates none since then, and keeps the outcomes before")
  func dying() async throws {
    let body = "{}"
    let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
    let outcomes = try await Self.outcomes(parallelism: 1, until: 2) { channel in
      try? channel.pipeline.syncOperations.addHandler(Answering(with: head + body, closes: true))
    }
    let tried = outcomes.filter { $0.outcome != .skipped }
    #expect(tried.count >= 1 && tried.count <= 2, "\(tried)")
    #expect(outcomes.contains { $0.isOfSilence })
  }

  @Test(
    "rules fail at a server that answers nonsense", arguments: [#"{"a":[]"#, String(repeating: "[", count: 100_000)])
  func nonsense(_ start: String) async throws {
    let body = start + String(repeating: "]", count: start.hasPrefix("[") ? start.count : 0)
    Self.check(
      try await Self.outcomes { channel in
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        try? channel.pipeline.syncOperations.addHandler(Answering(with: head + body))
      })
  }

  /// Answers everything with the same bytes.
  private final class Answering: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let answer: String
    private let closes: Bool

    init(with answer: String, closes: Bool = false) { (self.answer, self.closes) = (answer, closes) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let sent = context.channel.writeAndFlush(ByteBuffer(string: answer))
      if closes { sent.whenComplete { [channel = context.channel] _ in channel.close(promise: nil) } }
    }
  }
}
