import Hummingbird
import MadangCore
import NIOCore
import SocketIOServer

/// What stands around a server: in front of its connections and requests, and beside its packets. A server in use has nothing there.
package struct Surroundings: Sendable {
  /// Has the server answer a request, which may have been changed.
  package typealias Answering = (Request) async throws -> Answer
  /// Answers a request, or has the server answer it.
  /// - Parameter isForOperators: Whether the request came by the listener for operators only.
  package typealias Middleware =
    @Sendable (Request, any NIOCore.Channel, _ isForOperators: Bool, Answering) async throws -> Response

  /// Changes how connections of the listener for clients are taken.
  package var connections: (@Sendable (inout SocketIOServer.HTTPChannelConfiguration) -> Void)?
  /// Selects the server of a socket request by the request's host; nil: always this one. A request for no server goes on as a request.
  package var sockets: (@Sendable (_ host: String?) -> SocketIOServer?)?
  /// Stands around each request.
  package var requests: Middleware?
  /// Sees each packet of a socket.
  package var packets: SocketIOServer.PacketHook?
  package var standIns = ProviderStandIns()

  package init() {}
}

/// Stand-ins for the providers that the settings leave out, in development mode.
package struct ProviderStandIns: Sendable {
  let payments: (any PaymentVerifier)?
  let social: [SocialProvider: any SocialVerifier]
  let pushes: (any PushSender)?
  let mails: (any MailSender)?

  package init(
    payments: (any PaymentVerifier)? = nil, social: [SocialProvider: any SocialVerifier] = [:],
    pushes: (any PushSender)? = nil, mails: (any MailSender)? = nil
  ) {
    (self.payments, self.social, self.pushes, self.mails) = (payments, social, pushes, mails)
  }
}
