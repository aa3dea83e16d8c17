import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// How connections for calls behave.
enum ConnectionSettings {
  /// POSIX sockets on every platform: only they can be told what to do with unsent bytes.
  static let group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton

  static func make(_ configuration: MadangClient.Configuration) -> HTTPClient.Configuration {
    var settings = HTTPClient.Configuration()
    // A redirect would carry key and token to another place.
    settings.redirectConfiguration = .disallow
    settings.timeout.connect = TimeAmount(configuration.connectTimeout)
    settings.httpVersion = .http1Only
    // A server that refuses connections is told of at once; who wants to wait for it tries again.
    settings.connectionPool.retryConnectionEstablishment = false
    settings.http1_1ConnectionDebugInitializer = dropUnsentBytesOnClose
    // Until the other end has said goodbye, or this time is over, TLS would keep a closed connection sending.
    settings.tlsConfiguration = .makeClientConfiguration()
    settings.tlsConfiguration?.shutdownTimeout = .zero
    return settings
  }

  /// Has the system forget a closed connection at once. Otherwise it would go on sending what a call that was given up
  /// had written, and the server would carry out a call that has long been made again.
  @Sendable
  private static func dropUnsentBytesOnClose(_ channel: any Channel) -> EventLoopFuture<Void> {
    guard let socket = channel as? any SocketOptionProvider else { return channel.eventLoop.makeSucceededVoidFuture() }
    return socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
  }
}
