import MadangCore
import NIOCore
import NIOPosix
import NIOSSL

/// A connection to a mail server; each command waits for its reply.
struct SMTPConnection: Sendable {
  private let channel: any NIOCore.Channel
  private let host: String
  private let replies: NIOLoopBound<SMTPReplies>

  /// Connects, with TLS from the start if the endpoint requires it.
  static func open(_ endpoint: SMTPEndpoint, _ tls: NIOSSLContext, timeout: Duration) async throws -> SMTPConnection {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let replies = try await loop.submit { NIOLoopBound(SMTPReplies(), eventLoop: loop) }.get()
    let channel = try await ClientBootstrap(group: loop)
      .connectTimeout(TimeAmount(timeout))
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if endpoint.security == .implicitTLS {
            try channel.pipeline.syncOperations.addHandler(Self.handler(tls, endpoint.host))
          }
          try channel.pipeline.syncOperations.addHandler(replies.value)
        }
      }
      .connect(host: endpoint.host, port: endpoint.port).get()
    return SMTPConnection(channel: channel, host: endpoint.host, replies: replies)
  }

  /// Checks the certificate for the host, which may be a name or an address.
  private static func handler(_ tls: NIOSSLContext, _ host: String) throws -> NIOSSLClientHandler {
    try NIOSSLClientHandler(context: tls, serverHostname: IPAddress(host) == nil ? host : nil)
  }

  func close() { channel.close(promise: nil) }

  /// Closes the connection after a time, even during a wait.
  func close(after time: Duration) -> Scheduled<Void> {
    channel.eventLoop.scheduleTask(in: TimeAmount(time)) { [channel, replies] in
      replies.value.fail(
        SMTPSender.NotTaken(description: "the server did not answer within \(time.components.seconds) s"))
      channel.close(promise: nil)
    }
  }

  /// The next reply. If the connection ends before, throws its first error.
  func reply() async throws -> SMTPReply {
    try await channel.eventLoop.flatSubmit { [channel, replies] in replies.value.next(on: channel.eventLoop) }.get()
  }

  /// Sends a line, and adds the line end.
  func send(_ line: String) async throws {
    try await send(bytes: Array(line.utf8) + [0x0d, 0x0a])
  }

  func send(bytes: [UInt8]) async throws {
    do { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) } catch {
      // The reason why the connection ended says more than that it has ended.
      _ = try await reply()
      throw error
    }
  }

  /// Switches to TLS. Bytes that came unencrypted after the server's consent could be injected and would count as sent
  /// under TLS: then throws ``BadSMTPReply``.
  func startTLS(_ tls: NIOSSLContext) async throws {
    try await channel.eventLoop.submit { [channel, host, replies] in
      guard replies.value.isEmpty else { throw BadSMTPReply() }
      try channel.pipeline.syncOperations.addHandler(Self.handler(tls, host), position: .first)
    }.get()
  }
}

/// Passes each reply to its waiting caller.
private final class SMTPReplies: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private var parser = SMTPReplyParser()
  private var waiting: EventLoopPromise<SMTPReply>?
  private var failure: (any Error)?

  var isEmpty: Bool { parser.isEmpty }

  func next(on loop: any EventLoop) -> EventLoopFuture<SMTPReply> {
    let promise = loop.makePromise(of: SMTPReply.self)
    waiting = promise
    answer()
    return promise.futureResult
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    do { try parser.add(unwrapInboundIn(data)) } catch { return fail(error, context) }
    answer()
    if failure != nil { context.close(promise: nil) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(error, context) }

  func channelInactive(context: ChannelHandlerContext) {
    fail(SMTPSender.NotTaken(description: "the server ended the connection"))
  }

  /// All present and future waits get the first failure.
  func fail(_ error: any Error) {
    failure = failure ?? error
    answer()
  }

  private func answer() {
    guard let promise = waiting else { return }
    do {
      guard let reply = try parser.next() else {
        guard let failure else { return }
        throw failure
      }
      waiting = nil
      promise.succeed(reply)
    } catch {
      failure = failure ?? error
      waiting = nil
      promise.fail(error)
    }
  }

  private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
    fail(error)
    context.close(promise: nil)
  }
}
