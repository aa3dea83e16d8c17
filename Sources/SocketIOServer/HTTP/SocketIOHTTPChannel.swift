public import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes
import Synchronization

extension SocketIOServer {
  /// The HTTP/1 server for a Hummingbird application on whose port this server lives as well.
  ///
  /// The application's responder runs where Swift's tasks do, unless `HTTPChannelConfiguration.respondsOnEventLoop` is set. What
  /// `configuration` holds as closures is called on the event loop of the connection that is accepted: it must not block.
  public func httpServer(configuration: HTTPChannelConfiguration = .init()) -> HTTPServerBuilder {
    HTTPServerBuilder { responder in
      SocketIOHTTPChannel(
        connections: HTTPConnections(server: self, configuration: configuration), responder: responder)
    }
  }
}

/// An HTTP/1 connection of a Hummingbird application, out of which WebSockets can be taken at any request.
struct SocketIOHTTPChannel: HTTPChannelHandler {
  typealias HTTPConnection = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

  struct Value: ServerChildChannelValue {
    let accepted: AcceptedConnection
    let share: NIOLoopBound<LoopShare?>

    var channel: any Channel { accepted.channel }
  }

  let connections: HTTPConnections
  let responder: HTTPChannelHandler.Responder

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    connections.accept(channel, logger) { share in
      let http = try HTTPConnection(
        wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
      return Value(accepted: AcceptedConnection(http), share: NIOLoopBound(share, eventLoop: channel.eventLoop))
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

/// A connection between its set-up and its handling. A listener that stops just then drops it; an async channel that nobody
/// closes would end the process.
final class AcceptedConnection: Sendable {
  private let http: SocketIOHTTPChannel.HTTPConnection
  private let isTaken = Atomic(false)

  init(_ http: SocketIOHTTPChannel.HTTPConnection) { self.http = http }

  deinit {
    guard !isTaken.load(ordering: .acquiring) else { return }
    // Unstructured: whoever dropped it waits for nothing.
    Task { [http] in try? await http.executeThenClose { _, _ in } }
  }

  var channel: any Channel { http.channel }

  /// The connection, for whoever handles it and closes it.
  func take() -> SocketIOHTTPChannel.HTTPConnection {
    isTaken.store(true, ordering: .releasing)
    return http
  }
}
