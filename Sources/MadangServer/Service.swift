import HTTPTypes
import Hummingbird
import Logging
import MadangAPI
import MadangCore
import NIOCore
import SocketIOServer

/// All that a request needs, in one value: no globals, so a process can hold several servers.
struct Service: Sendable {
  let madang: Madang
  let settings: ServerSettings
  let keys: KnownKeys
  let tokens: AccessTokens
  let limits: CallLimits
  let recent: RecentAddresses
  let socketIO: SocketIOServer
  /// Those this server speaks.
  let editions: [Edition]
  let providers: Providers
  /// Nil outside of development mode.
  let development: Development?
  let metrics: Metrics
  let logger: Logger

  /// The edition a key belongs to, if this listener serves it.
  func edition(ofKey key: String?) async -> Edition? {
    guard let key, let id = await keys.edition(of: key) else { return nil }
    return editions.first { $0.id == id }
  }

  /// The peer's address, or the one a trusted proxy forwards.
  func address(headers: HTTPFields, peer: SocketAddress?) -> String {
    let peer = peer?.ipAddress ?? "local"
    guard settings.trustedProxies.contains(peer), let forwarded = headers[.forwardedFor] else { return peer }
    // The last entry is the one the trusted proxy itself wrote.
    return forwarded.split(separator: ",").last?.trimmingWhitespace() ?? peer
  }

  /// Signs in, counting failures by e-mail and address.
  func signIn(email: String, password: String, deviceToken: String?, _ call: Call) async throws -> SignedIn {
    let subject = CallLimits.Subject.signIn(email: email.lowercased(), address: call.address)
    do {
      try limits.check(subject, over: max(0, limits.settings.signInFailures - 1))
      return try await madang.signIn(
        email: email, password: password, deviceToken: deviceToken, edition: call.edition.name)
    } catch let failure as Failure where failure.code == .signInFailed {
      try limits.count(subject)
      throw failure
    }
  }
}

extension HTTPField.Name {
  // A valid name by inspection, which `init?` cannot know.
  static let forwardedFor = Self("X-Forwarded-For") ?? .via
}
