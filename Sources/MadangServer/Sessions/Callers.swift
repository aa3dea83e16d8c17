import MadangCore
import MadangOperations

/// How a server recognizes its callers: by API keys, tokens, passwords, the cookie of sockets, and addresses.
///
/// A class: every request uses it, and a copy of all its parts is expensive.
final class Callers: Sendable {
  let madang: Madang
  /// The editions that this server speaks.
  let editions: [Edition]
  let keys: KnownKeys
  let tokens: AccessTokens
  let cookie: SocketCookie
  let recent: RecentAddresses
  let tries: SignInTries
  let limits: CallLimits
  /// The lifetime of access tokens when the server started, in milliseconds.
  let accessLifetime: Int64
  let trust: PeerTrust

  /// - Parameters:
  ///   - secret: The installation's secret, which signs access tokens. The keys for other uses are derived from it.
  ///   - notices: Notifies other servers; nil for a single server.
  ///   - path: The path of sockets, for their cookie.
  init(
    _ madang: Madang, _ settings: ServerSettings, secret: [UInt8], notices: CommitNotices?, _ limits: Limits,
    cookiePath path: String
  ) async {
    self.madang = madang
    editions = Edition.all(settings).filter { settings.edition ?? $0.id == $0.id }
    keys = KnownKeys(settings.keys, madang: madang)
    await keys.load()
    tokens = await AccessTokens(secret: secret)
    cookie = SocketCookie(secret: secret, path: path, settings: settings.domain)
    recent = RecentAddresses(madang: madang, held: limits.held, secret: secret, notices: notices)
    tries = SignInTries(settings.callLimits, clock: madang.clock, secret: secret, notices: notices)
    self.limits = limits.calls
    accessLifetime = settings.domain.sessions.accessLifetime
    trust = settings.peerTrust
  }
}
