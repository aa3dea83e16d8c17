import NIOCore
import NIOEmbedded
import Testing

@testable import SocketIOServer

@Suite("Shares of a loop's time", .timeLimit(.minutes(1)))
struct LoopSharesTests {
  /// A loop with a clock of its own. Work for the connection called `other` takes no time, all else 10 ms.
  private final class Bench {
    let loop = EmbeddedEventLoop()
    private(set) var log: [String] = []
    private var worked = TimeAmount.zero
    private(set) lazy var shares = LoopShares(loop, part: 0.25) { self.loop.now + self.worked }

    func connection(_ name: String, of owner: String?) throws -> EmbeddedChannel {
      let share = shares.share(of: owner)
      let channel = EmbeddedChannel(handlers: [LoopShareHandler(share), Worker(name, self)], loop: loop)
      try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
      return channel
    }

    func work(_ what: String, for name: String) {
      log.append("\(name) \(what)")
      if name != "other" { worked = worked + .milliseconds(10) }
    }

    func note(_ what: String) { log.append(what) }
  }

  private final class Worker: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let name: String
    private let bench: Bench

    init(_ name: String, _ bench: Bench) {
      self.name = name
      self.bench = bench
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      bench.work(String(buffer: unwrapInboundIn(data)), for: name)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if let event = event as? ChannelEvent, event == .inputClosed { bench.note("\(name) closed its side") }
    }

    func channelInactive(context: ChannelHandlerContext) { bench.note("\(name) is gone") }
  }

  private func send(_ text: String, _ channel: EmbeddedChannel) throws {
    try channel.writeInbound(ByteBuffer(string: text))
  }

  @Test("beyond its share an owner waits while others send: its own work comes in order, theirs at once")
  func turns() throws {
    let bench = Bench()
    let (other, first, second) = (
      try bench.connection("other", of: "b"), try bench.connection("first", of: "a"),
      try bench.connection("second", of: "a")
    )
    try send("1", other)
    try send("1", first)
    try send("2", first)
    try send("1", second)
    try send("3", first)
    first.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    try send("2", other)
    #expect(bench.log == ["other 1", "first 1", "other 2"])
    bench.loop.advanceTime(by: .seconds(1))
    #expect(
      bench.log.dropFirst(3) == ["first 2", "first 3", "first closed its side", "second 1"])
    bench.loop.advanceTime(by: .seconds(1))
    try send("2", second)
    #expect(bench.log.last == "second 2")
  }

  @Test("an owner has a quarter of the loop's time while others send, and not less")
  func part() throws {
    let bench = Bench()
    let other = try bench.connection("other", of: "b")
    for number in 0..<100 {
      try send("x", other)
      try send("x", bench.connection("own \(number)", of: "a"))
      bench.loop.advanceTime(by: .milliseconds(10))
    }
    // In 1 s besides the work, which takes a third of it then: a quarter of the whole.
    let done = bench.log.count { $0.hasPrefix("own") }
    #expect((30...36).contains(done), "\(done)")
  }

  @Test("alone, and after the others have left, nobody waits; nor does what is nobody's in particular")
  func alone() throws {
    let bench = Bench()
    let (proxy, own) = (try bench.connection("proxy", of: nil), try bench.connection("own", of: "a"))
    for _ in 0..<100 { try send("x", own) }
    #expect(bench.log.count == 100)
    for _ in 0..<100 { try send("x", proxy) }
    #expect(bench.log.count == 200)
    for _ in 0..<2 { try send("x", own) }
    #expect(bench.log.count == 201, "the proxy's people send as well")
    bench.loop.advanceTime(by: LoopShares.presence)
    for _ in 0..<100 { try send("x", own) }
    #expect(bench.log.count == 302)
  }

  @Test("what was sent before a connection ended is worked on before its end is told, and nothing after it")
  func ending() throws {
    let bench = Bench()
    let (other, own) = (try bench.connection("other", of: "b"), try bench.connection("own", of: "a"))
    try send("1", other)
    try send("1", own)
    try send("2", own)
    try own.close().wait()
    #expect(bench.log == ["other 1", "own 1", "own 2", "own is gone"])
    bench.loop.advanceTime(by: .seconds(1))
    #expect(bench.log.count == 4)
  }

  @Test("what waits has a limit in bytes: what is beyond it is worked on at once")
  func memory() throws {
    let bench = Bench()
    let other = try bench.connection("other", of: "b")
    try send("1", other)
    let share = bench.shares.share(of: "a")
    let half = String(repeating: "x", count: LoopShare.maxWaitingBytes / 2)
    let connections = try (1...4).map { try bench.connection("\($0)", of: "a") }
    try send("x", connections[0])
    try send(half, connections[1])
    try send(half, connections[2])
    #expect(bench.log.count == 2)
    #expect(share.waitingBytes == LoopShare.maxWaitingBytes)
    try send("x", connections[3])
    #expect(bench.log.last == "4 x")
    try connections[1].close().wait()
    bench.loop.advanceTime(by: .seconds(1))
    #expect(bench.log.count == 6)
    #expect(share.waitingBytes == 0)
  }

  @Test("connecting anew forgives nobody; a share without connections is forgotten once its debt is paid")
  func reconnecting() throws {
    let bench = Bench()
    let other = try bench.connection("other", of: "b")
    let share = bench.shares.share(of: "a")
    for number in 1...2 {
      let own = try bench.connection("\(number)", of: "a")
      try send("x", other)
      try send("x", own)
      if number == 1 { try own.close().wait() }
    }
    #expect(bench.log == ["other x", "1 x", "1 is gone", "other x"])
    bench.loop.advanceTime(by: .seconds(1))
    #expect(bench.shares.share(of: "a") === share)
    let brief = try bench.connection("brief", of: "c")
    let former = bench.shares.share(of: "c")
    try brief.close().wait()
    bench.loop.advanceTime(by: .seconds(1))
    #expect(bench.shares.share(of: "c") !== former)
  }

  @Test("a server on which nearly everything waits answers every client, in order", arguments: Carrier.allCases)
  func wholeServer(_ carrier: Carrier) async throws {
    let configuration = SocketIOServer.Configuration.changed { configuration in
      // Every connection is an owner of its own.
      configuration.connectionOwner = { $0?.port.map(String.init) }
      configuration.maxLoopPart = 0.02
    }
    try await TestServer.with(configuration) { (server) async throws in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            let client = try await EngineClient(server, carrier)
            _ = try await client.join("/")
            for number in 0..<20 { try await client.send(#"42["echo",\#(number)]"#) }
            for number in 0..<20 { #expect(try await client.text() == #"42["echo-back",\#(number)]"#) }
          }
        }
        try await group.waitForAll()
      }
    }
  }
}
