import Foundation
import HTTPTypes
import Logging
import MadangAPI
import MadangCore
import MadangOperations
import SocketIOServer

/// Decides who may join a room's namespace (wire contract, Socket access): by the token if there is one, otherwise by the
/// cookie, otherwise by the address, as far as `socketAccess` allows.
struct RoomAdmission: Sendable {
  private let service: Service
  private let admitted: AdmittedSockets

  init(_ service: Service, _ admitted: AdmittedSockets) {
    self.service = service
    self.admitted = admitted
  }

  private struct NotAllowed: Error {
    var message = "not allowed"
  }

  /// The known account behind a connect.
  private struct Guest {
    let user: Int64
    /// Nil if only the address identifies it.
    let session: SessionID?
    let by: SocketAdmission
  }

  private struct Attempt {
    let namespace: RoomNamespace
    let edition: Edition
    let known: Guest?
    let client: ClientAddress
  }

  /// Decides on a connect. Clients connect in parallel with, or before, the call that makes them members, so a connect
  /// without membership is held for a while; bad credentials are refused at once.
  func decide(_ request: ConnectRequest) async -> Admission {
    do {
      // The form of the id in a namespace decides its edition (wire contract, Edition of a request).
      guard let namespace = RoomNamespace(name: request.namespace),
        let edition = service.editions.first(where: { $0.isID(namespace.id) })
      else { throw NotAllowed() }
      let reason = try await reason(request, namespace, edition)
      service.metrics.socketAdmitted(by: reason.by)
      return .accept(SocketData(reason))
    } catch {
      service.metrics.socketAdmitted(by: .refused)
      return .refuse(message: message(of: error))
    }
  }

  private func message(of error: any Error) -> String {
    switch error {
    case let error as NotAllowed: return error.message
    case is CancellationError: return NotAllowed().message
    case let refusal as Refusal where refusal.code == .tooManyCalls: return refusal.code.rawValue
    default:
      service.failureLog.write("a socket could not be admitted", error)
      return ErrorCode.serverFailure.rawValue
    }
  }

  private func reason(_ request: ConnectRequest, _ namespace: RoomNamespace, _ edition: Edition) async throws
    -> AdmittedSockets.Reason
  {
    let client = service.client(request.handshake.headers, peer: request.handshake.remoteAddress)
    let credentials = SocketCredentials(request)
    // Later endings are noticed when the socket joins.
    let endings = admitted.endings
    let known = try await counted(client) {
      try await self.known(credentials, request.handshake.headers, edition, client)
    }
    let attempt = Attempt(namespace: namespace, edition: edition, known: known, client: client)
    guard known != nil || service.settings.sockets.access == .open || mayComeByAddress(request.origin, client)
    else { throw NotAllowed() }
    if let reason = try await reason(attempt, try await guest(attempt), endings) { return reason }
    guard let late = try await held(attempt) else { throw NotAllowed() }
    return late
  }

  /// Counts a connect for its session, or for its address without one. Invalid credentials count for the address, because
  /// checking them costs work.
  private func counted(_ client: ClientAddress, _ identify: () async throws -> Guest?) async throws -> Guest? {
    let stranger = CallLimits.Subject.connectsFrom(client.networkHash)
    try service.limits.check(stranger)
    do {
      let known = try await identify()
      let session = known?.session?.number
      if let known, let session { service.limits.note(session, of: known.user) }
      try service.limits.countConnect(of: session, from: client.networkHash)
      return known
    } catch let error as NotAllowed {
      try service.limits.countConnect(of: nil, from: client.networkHash)
      throw error
    }
  }

  /// Waits for an event that admits the client; nil if none comes soon or too many connects are waiting.
  private func held(_ attempt: Attempt) async throws -> AdmittedSockets.Reason? {
    let client = attempt.client
    let deadline = service.madang.clock.instant(after: service.settings.sockets.hold)
    let outcome = try await service.held.hold(for: client.network) { wait -> AdmittedSockets.Reason? in
      if attempt.known == nil { _ = service.held.extend(wait, for: service.recent.key(client.text)) }
      if attempt.known == nil && service.settings.isDevelopment { _ = service.held.extend(wait, for: .anybody) }
      while true {
        let (rings, endings) = (wait.rings, admitted.endings)
        let guest = try await returning(attempt)
        // Later events are noticed from here on.
        if let guest, service.held.extend(wait, for: .user(guest.user)) { continue }
        if let reason = try await reason(attempt, guest, endings) { return reason }
        guard await service.held.next(wait, after: rings, until: deadline) else { break }
      }
      // Another process may have granted access.
      let endings = admitted.endings
      return try await reason(attempt, try await returning(attempt), endings)
    }
    return outcome.flatMap(\.self)
  }

  /// The account of a held connect. Throws if its session has ended meanwhile.
  private func returning(_ attempt: Attempt) async throws -> Guest? {
    if let session = attempt.known?.session {
      do { _ = try await service.madang.caller(livingSession: session, edition: attempt.edition.name) } catch is Failure
      {
        throw NotAllowed()
      }
    }
    return try await guest(attempt)
  }

  private func guest(_ attempt: Attempt) async throws -> Guest? {
    if let known = attempt.known { return known }
    guard service.settings.sockets.access == .recent, !service.settings.isDevelopment else { return nil }
    let user = try await service.madang.onlyAccount(
      seenAt: attempt.client.text, within: service.settings.sockets.recentWindow)
    return user.map { Guest(user: $0, session: nil, by: .address) }
  }

  /// The reason that admits the socket now, or nil.
  ///
  /// - Parameter endings: The number of endings before the account was looked up.
  private func reason(_ attempt: Attempt, _ guest: Guest?, _ endings: Int) async throws -> AdmittedSockets.Reason? {
    let access = service.settings.sockets.access
    guard guest != nil || access == .open || service.settings.isDevelopment else { return nil }
    let (namespace, edition) = (attempt.namespace, attempt.edition)
    let reference = edition.reference(namespace.id)
    for kind in edition.rooms(namespace.prefix) {
      do {
        var guest = guest
        let room: Room
        if let guest {
          room = try await service.madang.room(kind, reference, readableBy: guest.user)
        } else {
          room = try await service.madang.room(kind, reference)
          if access != .open {
            // Development mode: of several accounts at an address, one that may read the room is enough.
            guard
              let user = try await service.madang.reader(
                of: room, seenAt: attempt.client.text, within: service.settings.sockets.recentWindow)
            else { return nil }
            guest = Guest(user: user, session: nil, by: .address)
          }
        }
        return .init(
          workspace: room.workspace, room: room.id.number, user: guest?.user, session: guest?.session,
          by: guest?.by ?? .open, endings: endings, seq: room.lastSeq)
      } catch let failure as Failure where failure.code == .notFound {
        continue
      }
    }
    return nil
  }

  /// The account of the token or the cookie; nil without both. Throws for a bad token, and without one if it is required.
  private func known(
    _ credentials: SocketCredentials, _ headers: HTTPFields, _ edition: Edition, _ client: ClientAddress
  ) async throws -> Guest? {
    let access = service.settings.sockets.access
    guard access != .open else { return nil }
    let key = await service.edition(ofKey: credentials.key)
    guard key?.name == edition.name || (access != .token && credentials.key == nil) else {
      throw NotAllowed(message: ErrorCode.badKey.rawValue)
    }
    if let token = credentials.token { return try await guest(with: token, edition, client) }
    guard access != .token else { throw NotAllowed(message: ErrorCode.badToken.rawValue) }
    guard let session = service.cookie.session(in: headers) else { return nil }
    do {
      let caller = try await service.madang.caller(livingSession: session, edition: edition.name)
      return Guest(user: caller.id, session: session, by: .cookie)
    } catch is Failure {
      return nil
    }
  }

  private func guest(with token: String, _ edition: Edition, _ client: ClientAddress) async throws -> Guest {
    do {
      let claims = try await service.claims(of: token, edition: edition)
      let caller = try await service.madang.caller(
        try await service.principal(
          token, claims, address: client.networkHash, edition, mayBeExpired: false, call: "socket"))
      return Guest(user: caller.id, session: caller.session, by: .token)
    } catch let refusal as Refusal where refusal.code != .tooManyCalls {
      throw NotAllowed(message: (refusal.code == .tokenExpired ? ErrorCode.tokenExpired : .badToken).rawValue)
    } catch is Failure {
      throw NotAllowed(message: ErrorCode.badToken.rawValue)
    }
  }

  /// An address identifies an account only if no other account uses it. A web page must use cookies: its script may belong
  /// to any site that the person visits, under a name that leads here.
  private func mayComeByAddress(_ origin: String?, _ client: ClientAddress) -> Bool {
    service.settings.sockets.access == .recent && !client.isShared && origin.map(Self.isOfProgram) ?? true
  }

  /// Starscream's `Origin` has a WebSocket scheme, which no page has. Other programs send the server's own origin; if that
  /// is an address instead of a name, no foreign page can have it.
  private static func isOfProgram(_ origin: String) -> Bool {
    guard let mark = origin.firstRange(of: "://") else { return false }
    let host = Authority(origin[mark.upperBound...])?.host
    let isNameless = host.map { isLoopback($0) || IPAddress(host: $0) != nil } ?? false
    return isNameless || origin.lowercased().hasPrefix("ws")
  }
}
