import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangOperations
import NIOCore

/// Development mode for the test kit.
extension MadangServer {
  /// Whether a client may make a call under `/_dev`.
  package enum DevelopmentAccess: Sendable {
    /// The path after `/_dev` and the token, if any.
    case granted([String])
    case refused(Response)
    /// This listener has no such calls.
    case unknown
  }

  /// - Parameter isForOperators: Whether the request came by the listener for operators only.
  package func developmentAccess(
    _ request: Request, over channel: any NIOCore.Channel, isForOperators: Bool
  ) -> DevelopmentAccess {
    guard settings.isDevelopment, isForOperators || service.isForOperators else { return .unknown }
    let received = ReceivedRequest(request, over: channel, at: service, isForOperators: isForOperators)
    guard received.target.segments.first == "_dev" else { return .unknown }
    return received.developmentPath.map { .granted(Array($0)) } ?? .refused(.notLocal)
  }

  /// Whether a request came over TLS, to this server or to a trusted proxy.
  package func isSecure(_ request: Request, over channel: any NIOCore.Channel) -> Bool {
    ReceivedRequest(request, over: channel, at: service).isSecure
  }

  package func speaks(_ edition: EditionName) -> Bool { service.callers.editions.contains { $0.id == edition } }

  /// Answers a request as if this caller had sent it to an edition, without needing a token. It counts for no limit, and
  /// does not record the account's address.
  ///
  /// - Parameters:
  ///   - caller: Nil for a client without an account, which may make public calls.
  ///   - edition: One that this server speaks.
  ///   - channel: The connection the request came by.
  package func answer(
    _ request: Request, as caller: Caller?, _ edition: EditionName, over channel: any NIOCore.Channel
  ) async throws -> Answer {
    let received = ReceivedRequest(request, over: channel, at: service)
    return await Responder(received).answer(
      as: caller.map { Principal($0) }, Edition(edition, offset: settings.offset(of: edition) ?? 0))
  }
}
