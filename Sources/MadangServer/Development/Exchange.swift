import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import NIOCore

/// One HTTP request that is being answered, for the instruments of development mode.
package struct Exchange: Sendable {
  package let notes: ExchangeNotes
  /// The connection the request came by.
  package let channel: any NIOCore.Channel
  private let hold: Hold

  /// What the request met. That of a socket is no visit: sockets may outlive the database.
  private enum Hold {
    case visit(Visit)
    case backend(Backend)
  }

  init(
    _ head: HTTPRequest, _ target: RequestTarget, isOfSocket: Bool, over channel: any NIOCore.Channel, at moment: Int64,
    _ visit: Visit
  ) {
    notes = ExchangeNotes(head, target, isOfSocket: isOfSocket, at: moment, begun: visit.begun)
    self.channel = channel
    hold = isOfSocket ? .backend(visit.backend) : .visit(visit)
  }

  /// Of the backend that the request met.
  var service: Service {
    switch hold {
    case .visit(let visit): visit.service
    case .backend(let backend): backend.service
    }
  }

  /// Waits. Throws `CancellationError` as soon as another database is put behind the server: the request is to end then.
  package func pause(for time: Duration) async throws {
    switch hold {
    case .visit(let visit): try await visit.pause(for: time)
    case .backend: try await Task.sleep(for: time)
    }
  }

  /// The operation of the edition whose key the request shows; nil if it is none.
  package func operation() async -> EditionOperation? {
    if let known = notes.withKnown(\.lookedUpOperation) { return known }
    let edition = await service.edition(ofKey: notes.head.headerFields[.apiKey])
    let operation = edition?.routes.find(notes.head.method.rawValue, notes.target.segments)?.operation
    notes.lookedUp(operation)
    return operation
  }

  /// The account whose token the request shows, valid, expired or about to be signed out; nil if it shows none. It counts for
  /// no limit.
  package func account() async -> ExchangeNotes.Account? {
    if let known = notes.withKnown(\.lookedUpAccount) { return known }
    let account = await lookedUpAccount()
    notes.lookedUp(account)
    return account
  }

  private func lookedUpAccount() async -> ExchangeNotes.Account? {
    guard let edition = await service.edition(ofKey: notes.head.headerFields[.apiKey]),
      let session = await claims(in: edition)?.session,
      let caller = try? await service.madang.caller(session: session, edition: edition.name)
    else { return nil }
    return ExchangeNotes.Account(caller)
  }

  private func claims(in edition: Edition) async -> AccessTokens.Claims? {
    guard let token = notes.head.headerFields[.authorization].flatMap(rawToken) else { return nil }
    return try? await service.claims(of: token, edition: edition)
  }

  /// What the request is answered with if its access token has expired. The session may renew it then, also where the token is
  /// valid in truth.
  package func refusalOfExpiredToken() async -> Response {
    do throws(Refusal) {
      if let edition = await service.edition(ofKey: notes.head.headerFields[.apiKey]),
        let claims = await claims(in: edition)
      {
        try service.limits.refuseExpiredToken(of: claims.number)
      }
      throw Refusal(.tokenExpired, "as if the access token had expired")
    } catch {
      return .refusal(error)
    }
  }
}
