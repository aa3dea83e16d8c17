import Hummingbird
import MadangCore
import NIOCore
import SocketIOServer

/// The parts that another module adds to a server in development mode. All are optional; by default there are none.
///
/// A module that answers requests itself sets ``requests``:
///
///     let inner = surroundings.requests
///     surroundings.requests = { request, channel, isForOperators, answer in
///       if let response = page(for: request) { return response }
///       guard let inner else { return try await answer(request).response }
///       return try await inner(request, channel, isForOperators, answer)
///     }
package struct Surroundings: Sendable {
  /// Passes a request on to the server, as it came or changed.
  package typealias Answering = (Request) async throws -> Answer
  /// Answers a request itself, or calls `Answering`.
  /// - Parameter isForOperators: Whether the request came by the listener for operators only.
  package typealias Middleware =
    @Sendable (Request, any NIOCore.Channel, _ isForOperators: Bool, Answering) async throws -> Response

  /// Changes the configuration of the listener for clients.
  package var connections: (@Sendable (inout SocketIOServer.HTTPChannelConfiguration) -> Void)?
  /// Selects the server for a socket request by its host. If it returns nil, the request is answered like others. Without this
  /// closure all sockets belong to this server.
  package var sockets: (@Sendable (_ host: String?) -> SocketIOServer?)?
  /// The middleware around every request, of clients and of operators.
  package var requests: Middleware?
  /// Receives each packet of a socket before it is processed.
  package var packets: SocketIOServer.PacketHook?
  /// Stand-ins for providers.
  package var standIns = ProviderStandIns()

  package init() {}
}
