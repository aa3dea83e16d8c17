import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// The settings of connections for calls.
enum ConnectionSettings {
  /// POSIX sockets on every platform, because only they have an option for unsent bytes.
  static let group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton

  static func make(_ configuration: MadangClient.Configuration) -> HTTPClient.Configuration {
    var settings = HTTPClient.Configuration()
    // A redirect would send the key and the token to another server.
    settings.redirectConfiguration = .disallow
    settings.timeout.connect = TimeAmount(configuration.connectTimeout)
    settings.httpVersion = .http1Only
    // A refused connection fails at once; the caller may try again.
    settings.connectionPool.retryConnectionEstablishment = false
    settings.http1_1ConnectionDebugInitializer = dropUnsentBytesOnClose
    // Otherwise TLS would keep sending on a closed connection until the peer's close_notify or a timeout.
    settings.tlsConfiguration = .makeClientConfiguration()
    settings.tlsConfiguration?.shutdownTimeout = .zero
    configuration.authorities?.add(to: &settings)
    return settings
  }

  /// Makes the system drop a closed connection at once. Otherwise it would continue to send an abandoned call, and the server would execute
  /// a call that was already repeated.
  @Sendable
  private static func dropUnsentBytesOnClose(_ channel: any Channel) -> EventLoopFuture<Void> {
    guard let socket = channel as? any SocketOptionProvider else { return channel.eventLoop.makeSucceededVoidFuture() }
    return socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
  }
}
