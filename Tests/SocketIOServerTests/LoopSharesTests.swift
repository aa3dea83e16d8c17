import NIOCore
import NIOEmbedded
import SocketIOSupport
import Testing

@testable import SocketIOServer

@Suite("Shares of a loop's time", .timeLimit(.minutes(5)))
struct LoopSharesTests {
  /// A loop with its own clock. Work takes time by the byte, except on the connection called `other`.
  private final class Bench {
    let loop = EmbeddedEventLoop()
    private let perByte: TimeAmount
    private(set) var log: [String] = []
    private var worked = TimeAmount.zero
    private(set) lazy var shares = LoopShares(loop, part: 0.25) { self.loop.now + self.worked }

    init(perByte: TimeAmount = .microseconds(5)) { self.perByte = perByte }

    func connection(_ name: String, of owner: String?) throws -> EmbeddedChannel {
      let share = shares.share(of: owner)
      let channel = EmbeddedChannel(handlers: [LoopShareHandler(share), Worker(name, self)], loop: loop)
      try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
      return channel
    }

    func work(_ bytes: Int, for name: String) {
      if name != "other" { worked = worked + perByte * bytes }
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
      let buffer = unwrapInboundIn(data)
      bench.work(buffer.readableBytes, for: name)
      for message in String(buffer: buffer).split(separator: " ") { bench.note("\(name) \(message)") }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if let event = event as? ChannelEvent, event == .inputClosed { bench.note("\(name) closed its side") }
    }

    func channelInactive(context: ChannelHandlerContext) { bench.note("\(name) is gone") }
  }

  /// Sends a message padded with blanks.
  private func send(_ text: String, _ channel: EmbeddedChannel, size: Int = 4096) throws {
    try channel.writeInbound(ByteBuffer(string: text + String(repeating: " ", count: size - text.utf8.count)))
  }

  @Test("an owner who returns after a pause is not delayed for earlier input")
  func comesBack() throws {
    let bench = Bench()
    let before = try bench.connection("before", of: "a")
    // Retained, so that no later share has its address.
    let former = bench.shares.share(of: "a")
    defer { withExtendedLifetime(former) {} }
    try send("1", before)
    try before.close().wait()
    bench.loop.advanceTime(by: .seconds(3))
    let after = try bench.connection("after", of: "a")
    for number in 1...4 { try send("\(number)", after) }
    #expect(bench.log == ["before 1", "before is gone", "after 1", "after 2", "after 3", "after 4"])
  }

  @Test("beyond its share an owner waits while others send: its own work stays in order, that of others runs at once")
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
    bench.loop.advanceTime(by: .seconds(2))
    #expect(bench.log.filter { $0.hasPrefix("first") } == ["first 1", "first 2", "first 3", "first closed its side"])
    #expect(bench.log.contains("second 1"))
    try send("2", second)
    #expect(bench.log.last == "second 2")
  }

  @Test("an owner has a quarter of the loop's time while others send, and no less")
  func part() throws {
    let bench = Bench(perByte: .microseconds(1))
    let other = try bench.connection("other", of: "b")
    for number in 0..<200 {
      try send("x", other)
      try send("x", bench.connection("own \(number)", of: "a"))
      bench.loop.advanceTime(by: .milliseconds(5))
    }
    // In 1 s besides the work, which takes a third of that: a quarter of the total. Each takes 4 ms.
    let done = bench.log.count { $0.hasPrefix("own") }
    #expect((78...92).contains(done), "\(done)")
  }

  @Test("an owner that is alone, or whose neighbours have left, does not wait; nor does a connection without owner")
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

  @Test(
    "held input is lost when its connection ends, or is closed by this side", arguments: [true, false])
  func ending(_ isClosedHere: Bool) throws {
    struct Broken: Error {}
    let bench = Bench()
    let (other, own) = (try bench.connection("other", of: "b"), try bench.connection("own", of: "a"))
    try send("1", other)
    try send("1", own)
    try send("2", own)
    if isClosedHere {
      try own.close().wait()
    } else {
      own.pipeline.fireErrorCaught(Broken())
      own.pipeline.fireChannelInactive()
      #expect(throws: Broken.self) { try own.throwIfErrorCaught() }
    }
    bench.loop.advanceTime(by: .seconds(1))
    #expect(bench.log == ["other 1", "own 1", "own is gone"])
    #expect(bench.shares.share(of: "a").waitingBytes == 0)
  }

  @Test("input before a shutdown is processed before the shutdown is announced")
  func stopping() throws {
    let bench = Bench()
    let (other, own) = (try bench.connection("other", of: "b"), try bench.connection("own", of: "a"))
    try send("1", other)
    try send("1", own)
    try send("2", own)
    own.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    #expect(bench.log == ["other 1", "own 1", "own 2"])
  }

  @Test(
    "waiting input has its turns even while answers take more than the whole part, small messages soon, large ones in pieces"
  )
  func busyAnswers() throws {
    let bench = Bench()
    let other = try bench.connection("other", of: "b")
    let share = bench.shares.share(of: "a")
    let connections = try (0..<10).map { try bench.connection("\($0)", of: "a") }
    try send("x", other)
    share.spend { bench.work(1 << 16, for: "a") }
    try send("x", connections[0], size: 16_384)
    for connection in connections { try send("y", connection, size: 20) }
    #expect(bench.log == ["other x"])
    for turn in 1...10 {
      try send("x", other)
      share.spend { bench.work(8192, for: "a") }
      bench.loop.advanceTime(by: LoopShare.longestWait)
      if turn == 2 { for number in 1..<10 { #expect(bench.log.contains("\(number) y")) } }
    }
    #expect(bench.log.filter { $0.hasPrefix("0") } == ["0 x", "0 y"])
  }

  @Test("input is processed in pieces while others send, and whole otherwise")
  func pieces() throws {
    let bench = Bench()
    let (other, own) = (try bench.connection("other", of: "b"), try bench.connection("own", of: "a"))
    let share = bench.shares.share(of: "a")
    try send("1", own, size: 4 * LoopShare.piece)
    #expect(share.waitingBytes == 0)
    bench.loop.advanceTime(by: .seconds(1))
    try send("1", other)
    try send("2", own, size: 4 * LoopShare.piece)
    #expect(share.waitingBytes == 3 * LoopShare.piece)
    bench.loop.advanceTime(by: .seconds(1))
    #expect(share.waitingBytes == 0)
    #expect(bench.log == ["own 1", "other 1", "own 2"])
  }

  @Test("the waiting bytes are limited, and a client that sends more is disconnected")
  func memory() throws {
    let bench = Bench()
    let other = try bench.connection("other", of: "b")
    try send("1", other)
    let share = bench.shares.share(of: "a")
    let half = LoopShare.maxWaitingBytes / 2
    let connections = try (1...4).map { try bench.connection("\($0)", of: "a") }
    try send("x", connections[0])
    try send("x", connections[1], size: half)
    try send("x", connections[2], size: half)
    #expect(share.waitingBytes == LoopShare.maxWaitingBytes)
    try send("x", connections[3])
    #expect(bench.log == ["other 1", "1 x", "4 is gone"])
    try connections[1].close().wait()
    #expect(share.waitingBytes == half)
    bench.loop.advanceTime(by: .seconds(60))
    #expect(bench.log.last == "3 x")
    #expect(share.waitingBytes == 0)
  }

  @Test("reconnecting does not reset the debt; a share without connections is removed once its debt is paid")
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
    bench.loop.advanceTime(by: .seconds(2))
    #expect(bench.shares.share(of: "a") === share)
    let brief = try bench.connection("brief", of: "c")
    let former = bench.shares.share(of: "c")
    try brief.close().wait()
    bench.loop.advanceTime(by: .seconds(2))
    #expect(bench.shares.share(of: "c") !== former)
  }

  @Test("a server on which nearly all input waits answers every client, in order", arguments: Carrier.allCases)
  func wholeServer(_ carrier: Carrier) async throws {
    let configuration = SocketIOServer.Configuration.changed { configuration in
      // Each connection has its own owner.
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
