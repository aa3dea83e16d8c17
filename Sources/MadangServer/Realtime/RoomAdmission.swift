import Foundation
import HTTPTypes
import Logging
import MadangAPI
import MadangCore
import MadangOperations
import SocketIOServer

/// Who may join a room's namespace (wire contract, Socket access): by a token if one is shown, else by the cookie, else by the
/// address, as far down as `socketAccess` allows.
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

  /// Somebody a connect is known to come from.
  private struct Guest {
    let user: Int64
    /// Nil where only the address speaks for them.
    let session: SessionID?
    let by: SocketAdmission
  }

  private struct Attempt {
    let namespace: RoomNamespace
    let edition: Edition
    let known: Guest?
    let client: ClientAddress
  }

  /// Decides on a connect. Clients connect in parallel with, or before, the call that justifies it, so one that fails for
  /// want of membership is held for a while; bad credentials are refused at once.
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
    // Endings that come from here on are noticed when the socket joins.
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

  /// Counts a connect: of the session it is known by, else of its address. Whoever shows what is none of ours pays for the
  /// look.
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

  /// Admits when something happens that lets the guest in; nil if that is not soon, or too many wait already.
  private func held(_ attempt: Attempt) async throws -> AdmittedSockets.Reason? {
    let client = attempt.client
    let deadline = service.madang.clock.instant(after: service.settings.sockets.hold)
    let outcome = try await service.held.hold(for: client.network) { wait -> AdmittedSockets.Reason? in
      if attempt.known == nil { _ = service.held.extend(wait, for: service.recent.key(client.text)) }
      if attempt.known == nil && service.settings.isDevelopment { _ = service.held.extend(wait, for: .anybody) }
      while true {
        let (rings, endings) = (wait.rings, admitted.endings)
        let guest = try await returning(attempt)
        // What happens from here on is heard of.
        if let guest, service.held.extend(wait, for: .user(guest.user)) { continue }
        if let reason = try await reason(attempt, guest, endings) { return reason }
        guard await service.held.next(wait, after: rings, until: deadline) else { break }
      }
      // Another process may have let them in.
      let endings = admitted.endings
      return try await reason(attempt, try await returning(attempt), endings)
    }
    return outcome.flatMap(\.self)
  }

  /// The guest of a connect that was held. Throws if the session by which they were known has ended meanwhile.
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

  /// What lets the socket in now, or nil.
  ///
  /// - Parameter endings: Those there had been before the guest was looked for.
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

  /// Whom the token or the cookie stands for; nil for neither. Throws for a bad token, and without one where it is needed.
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

  /// An address speaks only for those who are alone behind it. A web page has cookies: its script may be anybody's whom the
  /// person at that address visits, by a name that leads here.
  private func mayComeByAddress(_ origin: String?, _ client: ClientAddress) -> Bool {
    service.settings.sockets.access == .recent && !client.isShared && origin.map(Self.isOfProgram) ?? true
  }

  /// Starscream's `Origin` has the scheme of a socket, which no page has. Other programs write the server's own; where that
  /// has no name but an address, nobody else's page can have it.
  private static func isOfProgram(_ origin: String) -> Bool {
    guard let mark = origin.firstRange(of: "://") else { return false }
    let host = Authority(origin[mark.upperBound...])?.host
    let isNameless = host.map { isLoopback($0) || IPAddress(host: $0) != nil } ?? false
    return isNameless || origin.lowercased().hasPrefix("ws")
  }
}
