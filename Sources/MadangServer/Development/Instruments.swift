import Hummingbird
import MadangCore
import SocketIOServer

/// By which a kit for tests of clients watches and disturbs a server in development mode. A server that runs for anybody has
/// none.
package struct Instruments: Sendable {
  /// Has the server answer a request, which may be changed.
  package typealias Answer = @Sendable (Request) async throws -> Response

  /// Stands around every request that is not for `/_dev`: answers it, or has it answered. To end the connection without an
  /// answer, close ``Exchange/channel`` and return anything.
  package var respond: @Sendable (Exchange, Request, Answer) async throws -> Response
  package var packetInterceptor: SocketIOServer.PacketInterceptor
  /// Answers a call under `/_dev`: its method, the path behind `/_dev`, and the request. Nil for a path it does not know. A
  /// ``BadCall`` is answered with 400.
  package var develop: @Sendable (HTTPRequest.Method, ArraySlice<String>, Request) async throws -> Response?
  /// Whether a connection may be made at this moment; it is closed at once if not. Called on an event loop.
  package var admitsConnection: @Sendable () -> Bool
  /// Called before the server answers anything, and with nil once it has ended.
  package var attach: @Sendable (ServerControls?) -> Void

  package init(
    respond: @escaping @Sendable (Exchange, Request, Answer) async throws -> Response,
    packetInterceptor: SocketIOServer.PacketInterceptor,
    develop: @escaping @Sendable (HTTPRequest.Method, ArraySlice<String>, Request) async throws -> Response?,
    admitsConnection: @escaping @Sendable () -> Bool,
    attach: @escaping @Sendable (ServerControls?) -> Void
  ) {
    self.respond = respond
    self.packetInterceptor = packetInterceptor
    self.develop = develop
    self.admitsConnection = admitsConnection
    self.attach = attach
  }
}

/// What a kit may do to the server it is in.
package struct ServerControls: Sendable {
  let socketIO: SocketIOServer
  let current: CurrentBackend

  /// Closes all connections without a word, as when the process is killed. Calls under way are carried out.
  package func dropConnections() async { await socketIO.dropConnections() }

  /// Whom a socket of a room belongs to, by the number of the account; nil where it was let in without one.
  package static func account(of data: SocketData) -> Int64? { AdmittedSockets.Reason(data)?.user }

  /// The number of the account with this e-mail.
  package func account(email: String) async throws -> Int64? {
    try await current.backend.service.madang.accountNumber(email: email)
  }
}
