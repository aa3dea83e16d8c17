import HTTPTypes
import NIOCore

/// What HTTP connections ask of the server behind their listener.
protocol SocketHome: Sendable {
  func isSocketPath(_ path: Substring) -> Bool
  /// A request goes to the application. Its target is path and query.
  func passed(_ target: String)
  /// A complete request for a WebSocket has arrived. From now on the connection belongs to the callee, which takes it over or refuses it.
  func open(_ request: HTTPRequest, on connection: HTTPConnectionHandler, _ context: ChannelHandlerContext)
  /// Whose connections count as one owner's.
  func owner(of peer: SocketAddress?) -> String?
  /// The share of a loop's time that a connection's owner has; nil if time is not counted by owner.
  func share(of owner: String?, on loop: any EventLoop) -> LoopShare?
}
