import HTTPTypes
public import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOTLS
import SocketIOProtocol

/// Stands in front of the application in an HTTP/1 connection. It takes out the WebSockets of the server's path, answers `Expect:
/// 100-continue`, and notifies polls of a lost connection. It converts between the messages of NIO and those of Swift HTTP Types, so that
/// no other handler has to.
final class HTTPConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  enum State {
    case http
    /// The head of a WebSocket request has arrived, but not its end.
    case upgrading(HTTPRequest)
    case gone
  }

  private let home: @Sendable () -> any SocketHome
  private let others: (@Sendable (_ host: String?) -> (any SocketHome)?)?
  /// Whether the connection speaks TLS.
  let isSecure: Bool
  /// The server that answers the current request if it is for sockets.
  private(set) var server: any SocketHome
  var state = State.http
  private(set) var requestsInProgress = 0
  private var isSocketRequest = false
  fileprivate var hasInputEnded = false
  /// Whether the connection closes after the response to the last request so far.
  private var closesAfterResponse = false
  /// NIO's decoder stops after a request with an `Upgrade` field, accepted or not, and after a CONNECT. It would then buffer all further
  /// bytes without limit.
  private var isDecoderStopping = false
  private var isReadingOver = false
  private var isReadHeld = false
  private var hasOutputEnded = false
  private var isStopping = false
  /// Set while a poll waits on this connection.
  var connectionLost: (@Sendable () -> Void)?

  /// What a proxy said at the beginning of the connection; nil if there is none that speaks so.
  var proxyHeader: ProxyHeader?

  private let pace: PaceHandler?
  /// Nil once a WebSocket has taken it over, which happens only without TLS.
  var place: ConnectionPlace?

  /// - Parameters:
  ///   - home: The server behind the connection's listener.
  ///   - others: Selects the server of a socket request by the request's host; nil: always `home`.
  ///   - pace: Monitors the speed of the connection; it must be notified when requests end.
  ///   - place: The connection's reservation, released when the connection closes, or passed on to the WebSocket that it becomes.
  init(
    home: @escaping @Sendable () -> any SocketHome,
    others: (@Sendable (_ host: String?) -> (any SocketHome)?)? = nil, isSecure: Bool = false,
    pace: PaceHandler? = nil, place: ConnectionPlace? = nil
  ) {
    self.home = home
    self.others = others
    server = home()
    self.isSecure = isSecure
    self.pace = pace
    self.place = place
  }

  func handlerRemoved(context: ChannelHandlerContext) { place?.giveBack() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = unwrapInboundIn(data)
    switch part {
    case .head(let head):
      isDecoderStopping = head.method == .CONNECT || head.headers.contains(name: "Upgrade")
      // NIO's decoder continues after `Upgrade` without `Connection: upgrade`.
      isReadingOver = false
      if isReadHeld { read(context: context) }
    case .body: break
    case .end:
      pace?.requestEnded()
      isReadingOver = isDecoderStopping
    }
    switch (part, state) {
    case (_, .gone):
      break
    case (.head(let head), .http):
      do { receivedHead(context, try HTTPRequest(head, isSecure: isSecure)) } catch {
        context.fireErrorCaught(error)
      }
    case (.end, .upgrading(let head)):
      state = .gone
      guard requestsInProgress == 0 else { return context.close(promise: nil) }
      server.open(head, on: self, context)
    case (_, .upgrading):
      break
    case (.body(let bytes), .http):
      context.fireChannelRead(wrapInboundOut(.body(bytes)))
    case (.end(let trailers), .http):
      context.fireChannelRead(wrapInboundOut(.end(trailers.map { HTTPFields($0, splitCookie: false) })))
    }
  }

  func read(context: ChannelHandlerContext) {
    isReadHeld = isReadingOver
    if !isReadHeld { context.read() }
  }

  private func receivedHead(_ context: ChannelHandlerContext, _ received: HTTPRequest) {
    var head = received
    proxyHeader?.note(in: &head.headerFields)
    guard head.isCheapToCompare else {
      state = .gone
      // Within another response nothing can be written.
      guard requestsInProgress == 0 else { return context.close(promise: nil) }
      return refuse(context, Refusal(status: .badRequest))
    }
    let home = home()
    let found = if let others { others(head.authority) } else { home as (any SocketHome)? }
    server = found ?? home
    isSocketRequest = found?.isSocketPath(head.pathWithoutQuery) ?? false
    if isSocketRequest, WebSocketHandshake.isWanted(by: head) {
      state = .upgrading(head)
      return
    }
    if !isSocketRequest { server.passed(head.path ?? "") }
    closesAfterResponse = closesAfterResponse || isDecoderStopping
    requestsInProgress += 1
    // Within another response a 100 would become part of that response. The client then sends its body anyway.
    if requestsInProgress == 1, head.headerFields.contains(.expect),
      head.headerFields[.expect]?.lowercased() == "100-continue"
    {
      context.writeAndFlush(wrapOutboundOut(.head(HTTPResponseHead(HTTPResponse(status: .continue)))), promise: nil)
    }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head):
      if closesAfterResponse, head.status.kind != .informational { head.headerFields[.connection] = "close" }
      context.write(wrapOutboundOut(.head(HTTPResponseHead(head))), promise: promise)
    case .body(let bytes):
      context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: promise)
    case .end(let trailers):
      requestsInProgress -= 1
      connectionLost = nil
      if requestsInProgress == 0 { isSocketRequest = false }
      let end = wrapOutboundOut(.end(trailers.map { HTTPHeaders($0) }))
      guard closesAfterResponse, requestsInProgress == 0 else { return context.write(end, promise: promise) }
      writeAndClose(context, end, promise)
    }
  }

  /// Refuses a request for a WebSocket, and closes the connection.
  func refuse(_ context: ChannelHandlerContext, _ refusal: Refusal) {
    var headers: HTTPFields = [.connection: "close", .contentType: "text/html"]
    headers[.contentLength] = String(refusal.message.utf8.count)
    let head = HTTPResponse(status: refusal.status, headerFields: headers)
    context.write(wrapOutboundOut(.head(HTTPResponseHead(head))), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: refusal.message)))), promise: nil)
    writeAndClose(context, wrapOutboundOut(.end(nil)))
  }

  /// Writes the last data for the client, and closes the connection once it is sent: an immediate close would drop it.
  func writeAndClose(_ context: ChannelHandlerContext, _ end: NIOAny, _ promise: EventLoopPromise<Void>? = nil) {
    state = .gone
    let (written, channel) = (promise ?? context.eventLoop.makePromise(), context.channel)
    written.futureResult.whenComplete { _ in channel.close(promise: nil) }
    context.writeAndFlush(end, promise: written)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if mode != .input { hasOutputEnded = true }
    // With TLS, requests may still arrive while the connection is closing; their answers could not be sent.
    if mode == .all { state = .gone }
    context.close(mode: mode, promise: promise)
    if mode == .output, isStopping, case .http = state { context.close(promise: nil) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // A client that closes its side while its poll waits has left. Other requests may still be answered.
    if let event = event as? ChannelEvent, event == .inputClosed {
      hasInputEnded = true
      if isSocketRequest, requestsInProgress <= 1 { context.close(promise: nil) }
    }
    // Requests in progress are answered first. The handlers behind would close before the client has received the whole answer.
    if event is ChannelShouldQuiesceEvent, requestsInProgress > 0 {
      (isStopping, closesAfterResponse) = (true, true)
      if hasOutputEnded { context.close(promise: nil) }
      return
    }
    // The bytes of the handshake do not start a request.
    if let event = event as? TLSUserEvent, case .handshakeCompleted = event { pace?.requestEnded() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    connectionLost?()
    connectionLost = nil
    context.fireChannelInactive()
  }
}

extension Channel {
  /// Whether the client of an HTTP connection has stopped waiting: the connection is closed, or the client has closed its side. Few clients
  /// close their side and wait; most close the connection, which looks the same until something is sent.
  public var hasClientLeft: Bool {
    get async {
      let hasLeft = eventLoop.submit { [self] in
        guard isActive else { return true }
        return try pipeline.syncOperations.handler(type: HTTPConnectionHandler.self).hasInputEnded
      }
      return (try? await hasLeft.get()) ?? false
    }
  }
}
