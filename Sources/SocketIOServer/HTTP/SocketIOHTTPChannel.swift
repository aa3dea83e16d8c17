import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes
import Synchronization

/// An HTTP/1 connection of a Hummingbird application that can become a WebSocket at any request.
struct SocketIOHTTPChannel: HTTPChannelHandler {
  typealias HTTPConnection = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

  struct Value: ServerChildChannelValue {
    let accepted: AcceptedConnection
    let share: NIOLoopBound<ConnectionShare>

    var channel: any Channel { accepted.channel }
  }

  let connections: HTTPConnections
  let responder: HTTPChannelHandler.Responder

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    connections.accept(channel, logger) { share in
      let http = try HTTPConnection(
        wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
      return Value(
        accepted: AcceptedConnection(http), share: NIOLoopBound(share, eventLoop: channel.eventLoop))
    }
  }

  func handle(value: Value, logger: Logger) async {
    guard connections.configuration.respondsOnEventLoop else {
      return await handleHTTP(asyncChannel: value.accepted.take(), logger: logger)
    }
    await withTaskExecutorPreference(EventLoopTaskExecutor(value.channel.eventLoop, share: value.share)) {
      await handleHTTP(asyncChannel: value.accepted.take(), logger: logger)
    }
  }
}

/// A connection between its setup and its handling. A listener that stops in between drops it, and an async channel that is never closed
/// would crash the process.
final class AcceptedConnection: Sendable {
  private let http: SocketIOHTTPChannel.HTTPConnection
  private let isTaken = Atomic(false)

  init(_ http: SocketIOHTTPChannel.HTTPConnection) { self.http = http }

  deinit {
    guard !isTaken.load(ordering: .acquiring) else { return }
    // Unstructured, because the listener that dropped it does not wait.
    Task { [http] in try? await http.executeThenClose { _, _ in } }
  }

  var channel: any Channel { http.channel }

  /// Returns the connection to a caller that handles and closes it.
  func take() -> SocketIOHTTPChannel.HTTPConnection {
    isTaken.store(true, ordering: .releasing)
    return http
  }
}
