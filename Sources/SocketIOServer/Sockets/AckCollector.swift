import NIOCore
import SocketIOProtocol

/// Collects the acknowledgements of one broadcast to the sockets of this server.
protocol AckCollector: AnyObject, Sendable {
  /// This many event loops are about to send the event. Called first.
  func willSend(on loops: Int)
  /// An event loop is about to send to these sockets. The timer ends the wait for them.
  func begin(asking sockets: [String], timer: Scheduled<Void>?)
  func received(_ result: Result<SocketArguments, AckError>, from socket: String)
}
