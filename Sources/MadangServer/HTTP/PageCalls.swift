import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangOperations
import SocketIOServer

/// A session that a page of this server shows by a cookie.
package struct PageSession: Sendable {
  let found: RefreshableSession
  let token: ShownToken

  package var id: SessionID { found.id }
  /// The account.
  package let user: Int64
}

/// A call of an edition that a page of this server makes. Its cookie stands for the API key, which pages cannot keep secret, and for a
/// token.
package struct PageCall {
  /// Nil for an unknown path.
  package var operation: (row: EditionOperation, parameters: PathParameters)?
  package var session: PageSession?
  /// Why the call is refused before it is looked up and counted; nil if it is not. So another site cannot use up the limits of its visitors.
  package var originRefusal: Refusal?
  /// Why the call is refused where other calls are refused for their token; nil if it is not.
  package var flaw: (any Error)?

  package init() {}
}

extension ReceivedRequest {
  package var settings: ServerSettings { service.settings }

  /// Whether the database is in read-only mode, as far as this server knows.
  package var isReadOnly: Bool { service.reports.metrics.refusesWrites }

  /// Read-only mode has begun or ended.
  package func noteReadOnly(_ isOn: Bool) { service.reports.metrics.noteReadOnly(isOn) }

  /// The operation of an edition at a path.
  package func operation(
    of edition: EditionName, at path: [String]
  ) -> (row: EditionOperation, parameters: PathParameters)? {
    service.routes.of(edition).find(request.method.rawValue, path)
  }

  /// The living session with this refresh token; nil if there is none. Throws `E98` rather than look into the database for an address that
  /// has shown too many tokens of no session.
  package func session(refreshToken text: String, _ edition: EditionName) async throws -> PageSession? {
    guard RefreshToken.hasForm(text) else { return nil }
    let unknown = CallLimits.Subject.refreshes(address: client.networkHash)
    try service.limits.calls.check(unknown)
    do {
      let found = try await service.madang.session(refreshToken: text, edition: edition.rawValue)
      guard let user = found.user, found.refreshExpiresAt > service.madang.clock.now else { return nil }
      let claims = AccessTokens.Claims(
        session: found.id, edition: edition.rawValue, expiresAt: found.refreshExpiresAt)
      return PageSession(found: found, token: ShownToken(text: text, claims: claims), user: user)
    } catch let failure as Failure where failure.code == .noSuchSession {
      try service.limits.calls.count(unknown)
      return nil
    }
  }

  /// Answers a call of a page, with the same steps as a call with a key.
  package func answer(_ call: PageCall, _ edition: EditionName) async -> Answer {
    await Responder(self, page: (call, service.callers.editions.first { $0.id == edition })).answer()
  }

  /// Whether a browser that says where a request comes from names a page of this server: neither another site nor another port of the host,
  /// nor over TLS a page without it.
  package var isOfOwnPage: Bool {
    guard !request.isFromAnotherSite else { return false }
    // A page that came without TLS may be an attacker's.
    if isSecure, request.headers[.origin]?.lowercased().hasPrefix("http:") == true { return false }
    let own = SocketIOServer.AllowedOrigins(
      others: PublicURL(service.madang.setting(\.publicURL)).map { [$0.origin] } ?? [])
    if own.allow(request.headers, authority: request.head.authority) { return true }
    let forwarded = ClientAddress.forwardedHost(
      request.headers, peer: connection.remoteAddress, trust: service.settings.peerTrust)
    return forwarded.map { own.allow(request.headers, authority: $0) } ?? false
  }
}

extension Call {
  /// Whether links can be mailed.
  package var mailsLinks: Bool { service.links.isOn }

  package var isSecure: Bool { service.isSecure(client) }

  /// A moment as this edition writes it.
  package func label(_ moment: Int64) -> String { dates.label(moment) }

  /// The moment that a date of this edition names; nil if it is blank. Throws `.invalid`.
  package func moment(_ label: String) throws -> Int64? { try dates.moment(label) }

  /// Mails a link to a new password. Returns at once. Throws `.invalid`, or `E98` if the client requests too many.
  package func requestPasswordLink() async throws {
    let email = try await body.fields().required(.email)
    if service.links.isOn { try service.links.request(.password, email, client, request.headers[.acceptLanguage]) }
  }

  /// The client has a new session, without an access token.
  package func begin(_ signedIn: SignedIn) {
    outcome.begin(signedIn)
    service.limits.calls.note(signedIn.session.number, of: signedIn.account.person.id.number)
  }

  package func signOutEverywhere() async throws {
    try await madang.signOutEverywhere(try principal, from: origin)
    outcome.session = .ended
  }

  /// The session was used, as if it had been refreshed.
  package func noteUse() async throws { try await madang.noteRefresh(of: try principal.session) }
}
