import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOTLS
import SocketIOProtocol

/// Stands in front of the application in an HTTP/1 connection: takes out the WebSockets of the server's path, answers
/// `Expect: 100-continue`, and tells polls of a lost connection. It turns NIO's messages into those of Swift HTTP Types and back, so
/// that no other handler has to.
final class HTTPConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  enum State {
    case http
    /// The head of a WebSocket request is here, its end is not.
    case upgrading(HTTPRequest)
    case gone
  }

  private let home: SocketIOServer
  /// Whether the connection speaks TLS.
  let isSecure: Bool
  private let addressee: (@Sendable (_ host: String?) -> Addressee<SocketIOServer>)?
  /// Who answers the present request if it is for sockets.
  private(set) var server: SocketIOServer
  var state = State.http
  private(set) var requestsInProgress = 0
  private var isSocketRequest = false
  fileprivate var hasInputEnded = false
  /// The connection ends with the response to the last request that has come.
  private var closesAfterResponse = false
  /// NIO's decoder stops behind a request with an `Upgrade` field, taken or not, and behind one for a tunnel. It would keep all that
  /// comes then, without limit.
  private var isDecoderStopping = false
  private var isReadingOver = false
  private var isReadHeld = false
  private var hasOutputEnded = false
  private var isStopping = false
  /// Set while a poll waits on this connection.
  var connectionLost: (@Sendable () -> Void)?

  private let pace: PaceHandler?
  /// Nil once a WebSocket has it, which is so without TLS only.
  var place: ConnectionPlace?

  /// - Parameters:
  ///   - addressee: Who answers a request, by its host, if it is not always `server`.
  ///   - pace: What looks after the connection's pace, and has to hear where requests end.
  ///   - place: The connection's place, given back when it is closed or handed on to the WebSocket that it becomes.
  init(
    server: SocketIOServer, isSecure: Bool = false,
    addressee: (@Sendable (_ host: String?) -> Addressee<SocketIOServer>)? = nil,
    pace: PaceHandler? = nil,
    place: ConnectionPlace? = nil
  ) {
    home = server
    self.server = server
    self.isSecure = isSecure
    self.addressee = addressee
    self.pace = pace
    self.place = place
  }

  func handlerRemoved(context: ChannelHandlerContext) { place?.giveBack() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = unwrapInboundIn(data)
    switch part {
    case .head(let head):
      isDecoderStopping = head.method == .CONNECT || head.headers.contains(name: "Upgrade")
      // It goes on after `Upgrade` without `Connection: upgrade`.
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
      upgrade(context, head)
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

  private func receivedHead(_ context: ChannelHandlerContext, _ head: HTTPRequest) {
    guard head.isCheapToCompare else {
      state = .gone
      // Nothing is written within another response.
      guard requestsInProgress == 0 else { return context.close(promise: nil) }
      return refuse(context, UpgradeFlaw(status: .badRequest, message: ""))
    }
    let addressee = addressee?(head.authority) ?? .this
    if case .other(let other) = addressee { server = other } else { server = home }
    // Its connections are wherever its clients come by.
    if server !== home { server.core.opened(context.channel) }
    let path = head.pathWithoutQuery
    if case .nobody = addressee { isSocketRequest = false } else { isSocketRequest = server.isSocketPath(path) }
    if isSocketRequest, WebSocketHandshake.isWanted(by: head) {
      state = .upgrading(head)
      return
    }
    if !isSocketRequest { server.core.adviseOnPath(of: head.path ?? "") }
    closesAfterResponse = closesAfterResponse || isDecoderStopping
    requestsInProgress += 1
    // Within another response it would be a part of that: the client sends its body without being asked then.
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

  /// Writes the last that the client gets, and closes the connection when it has all of it: closing drops what still waits.
  func writeAndClose(_ context: ChannelHandlerContext, _ end: NIOAny, _ promise: EventLoopPromise<Void>? = nil) {
    state = .gone
    let (written, channel) = (promise ?? context.eventLoop.makePromise(), context.channel)
    written.futureResult.whenComplete { _ in channel.close(promise: nil) }
    context.writeAndFlush(end, promise: written)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if mode != .input { hasOutputEnded = true }
    // With TLS requests may still come while the connection is closing: nobody would get the answer.
    if mode == .all { state = .gone }
    context.close(mode: mode, promise: promise)
    if mode == .output, isStopping, case .http = state { context.close(promise: nil) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // A client that ends its side while its poll waits has gone; other requests may still be answered.
    if let event = event as? ChannelEvent, event == .inputClosed {
      hasInputEnded = true
      if isSocketRequest, requestsInProgress <= 1 { context.close(promise: nil) }
    }
    // What is under way is answered. Who stands behind would close before the client has taken all of the answer.
    if event is ChannelShouldQuiesceEvent, requestsInProgress > 0 {
      (isStopping, closesAfterResponse) = (true, true)
      if hasOutputEnded { context.close(promise: nil) }
      return
    }
    // No request has begun with the bytes of the handshake.
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
  /// Whether the client of an HTTP connection waits no longer: the connection is closed, or the client's side of it is. Few
  /// clients close their side and wait; most close the connection, which looks the same until something is sent.
  package var hasClientLeft: Bool {
    get async {
      let hasLeft = eventLoop.submit { [self] in
        guard isActive else { return true }
        return try pipeline.syncOperations.handler(type: HTTPConnectionHandler.self).hasInputEnded
      }
      return (try? await hasLeft.get()) ?? false
    }
  }
}
