import Foundation
import HTTPTypes
import Logging
import MadangAPI
import MadangCore
import MadangOperations
import SocketIOServer

/// Decides who may join a room's namespace (wire contract, Socket access). A connect passes these states:
///
/// 1. *identified*: by a token if it has one, else by the cookie, else not yet
/// 2. *granted*: an account, found by its identity or by the address, may read the room
/// 3. *held*, if it is not granted: until something happens that may grant it, or its time is over
///
/// `socketAccess` says which identities count.
struct RoomAdmission: Sendable {
  let madang: Madang
  let settings: ServerSettings
  let callers: Callers
  let limits: Limits
  let reports: Reports
  let admitted: AdmittedSockets

  private struct NotAllowed: Error {
    var message = "not allowed"
  }

  /// The account that a connect comes from.
  private struct Identity {
    let user: Int64
    /// Nil if only the address identifies it.
    let session: SessionID?
    let by: SocketAdmission
  }

  private struct Attempt {
    let namespace: RoomNamespace
    let edition: Edition
    /// By token or cookie; nil for neither.
    let identity: Identity?
    let client: ClientAddress
  }

  /// Decides on a connect. Clients connect in parallel with, or before, the call that makes them members, so a connect
  /// without membership is held for a while; bad credentials are refused at once.
  func decide(_ request: ConnectRequest) async -> Admission {
    do {
      // The form of the id in a namespace decides its edition (wire contract, Edition of a request).
      guard let namespace = RoomNamespace(name: request.namespace),
        let edition = callers.editions.first(where: { $0.isID(namespace.id) })
      else { throw NotAllowed() }
      let grant = try await grant(request, namespace, edition)
      reports.metrics.socketAdmitted(by: grant.by)
      return .accept(SocketData(grant))
    } catch {
      reports.metrics.socketAdmitted(by: .refused)
      return .refuse(message: message(of: error))
    }
  }

  private func message(of error: any Error) -> String {
    switch error {
    case let error as NotAllowed: return error.message
    case is CancellationError: return NotAllowed().message
    case let refusal as Refusal where refusal.code == .tooManyCalls: return refusal.code.rawValue
    default:
      reports.failures.write("a socket could not be admitted", error)
      return ErrorCode.serverFailure.rawValue
    }
  }

  private func grant(_ request: ConnectRequest, _ namespace: RoomNamespace, _ edition: Edition) async throws
    -> AdmittedSockets.Grant
  {
    let client = callers.client(request.handshake.headers, peer: request.handshake.remoteAddress)
    let credentials = SocketCredentials(request)
    // Later endings are noticed when the socket joins.
    let endings = admitted.endings
    let identity = try await counted(client) {
      try await identify(credentials, request.handshake.headers, edition, client)
    }
    let attempt = Attempt(namespace: namespace, edition: edition, identity: identity, client: client)
    guard identity != nil || settings.sockets.access == .open || mayComeByAddress(request.origin, client)
    else { throw NotAllowed() }
    if let grant = try await grant(attempt, try await account(of: attempt), endings) { return grant }
    guard let late = try await hold(attempt) else { throw NotAllowed() }
    return late
  }

  /// Counts a connect for its session if it is identified by one, else for its address. Invalid credentials count for the address.
  private func counted(_ client: ClientAddress, _ identify: () async throws -> Identity?) async throws -> Identity? {
    let address = CallLimits.Subject.connectsFrom(client.networkHash)
    try limits.calls.check(address)
    do {
      let identity = try await identify()
      let session = identity?.session?.number
      if let identity, let session { limits.calls.note(session, of: identity.user) }
      try limits.calls.countConnect(of: session, from: client.networkHash)
      return identity
    } catch let error as NotAllowed {
      try limits.calls.countConnect(of: nil, from: client.networkHash)
      throw error
    }
  }

  /// Waits until something happens that grants access; nil if that is not soon, or too many connects wait already.
  private func hold(_ attempt: Attempt) async throws -> AdmittedSockets.Grant? {
    let client = attempt.client
    let deadline = madang.clock.instant(after: settings.sockets.hold)
    let outcome = try await limits.held.hold(for: client.network) { wait -> AdmittedSockets.Grant? in
      if attempt.identity == nil { _ = limits.held.extend(wait, for: callers.recent.key(client.text)) }
      if attempt.identity == nil && settings.isDevelopment { _ = limits.held.extend(wait, for: .anybody) }
      while true {
        let (rings, endings) = (wait.rings, admitted.endings)
        let account = try await accountStill(of: attempt)
        // Memberships that begin from here on end the wait.
        if let account, limits.held.extend(wait, for: .user(account.user)) { continue }
        if let grant = try await grant(attempt, account, endings) { return grant }
        guard await limits.held.next(wait, after: rings, until: deadline) else { break }
      }
      // Another process may have granted access.
      let endings = admitted.endings
      return try await grant(attempt, try await accountStill(of: attempt), endings)
    }
    return outcome.flatMap(\.self)
  }

  /// The account of a connect that was held. Throws if the session that identifies it has ended meanwhile.
  private func accountStill(of attempt: Attempt) async throws -> Identity? {
    if let session = attempt.identity?.session {
      do { _ = try await madang.caller(livingSession: session, edition: attempt.edition.name) } catch is Failure {
        throw NotAllowed()
      }
    }
    return try await account(of: attempt)
  }

  /// The account by identity, else the only one that was seen at the address lately.
  private func account(of attempt: Attempt) async throws -> Identity? {
    if let identity = attempt.identity { return identity }
    guard settings.sockets.access == .recent, !settings.isDevelopment else { return nil }
    let user = try await madang.onlyAccount(
      seenAt: attempt.client.text, within: settings.sockets.recentWindow)
    return user.map { Identity(user: $0, session: nil, by: .address) }
  }

  /// What grants access now, or nil.
  ///
  /// - Parameter endings: The count before the account was looked up.
  private func grant(_ attempt: Attempt, _ identity: Identity?, _ endings: Int) async throws -> AdmittedSockets.Grant? {
    let access = settings.sockets.access
    guard identity != nil || access == .open || settings.isDevelopment else { return nil }
    let (namespace, edition) = (attempt.namespace, attempt.edition)
    let reference = edition.reference(namespace.id)
    for kind in edition.rooms(namespace.prefix) {
      do {
        var identity = identity
        let room: Room
        if let identity {
          room = try await madang.room(kind, reference, readableBy: identity.user)
        } else {
          room = try await madang.room(kind, reference)
          if access != .open {
            // Development mode: of several accounts at an address, one that may read the room is enough.
            guard
              let user = try await madang.reader(
                of: room, seenAt: attempt.client.text, within: settings.sockets.recentWindow)
            else { return nil }
            identity = Identity(user: user, session: nil, by: .address)
          }
        }
        return .init(
          workspace: room.workspace, room: room.id.number, user: identity?.user, session: identity?.session,
          by: identity?.by ?? .open, endings: endings, seq: room.lastSeq)
      } catch let failure as Failure where failure.code == .notFound {
        continue
      }
    }
    return nil
  }

  /// The identity by token or cookie; nil for neither. Throws for a bad token, and if a token is required and missing.
  private func identify(
    _ credentials: SocketCredentials, _ headers: HTTPFields, _ edition: Edition, _ client: ClientAddress
  ) async throws -> Identity? {
    let access = settings.sockets.access
    guard access != .open else { return nil }
    let key = await callers.edition(ofKey: credentials.key)
    guard key?.name == edition.name || (access != .token && credentials.key == nil) else {
      throw NotAllowed(message: ErrorCode.badKey.rawValue)
    }
    if let token = credentials.token { return try await identity(with: token, edition, client) }
    guard access != .token else { throw NotAllowed(message: ErrorCode.badToken.rawValue) }
    guard let session = callers.cookie.session(in: headers) else { return nil }
    do {
      let caller = try await madang.caller(livingSession: session, edition: edition.name)
      return Identity(user: caller.id, session: session, by: .cookie)
    } catch is Failure {
      return nil
    }
  }

  private func identity(with token: String, _ edition: Edition, _ client: ClientAddress) async throws -> Identity {
    do {
      let claims = try await callers.claims(of: token, edition: edition)
      let caller = try await madang.caller(
        try await callers.principal(
          token, claims, address: client.networkHash, edition, mayBeExpired: false, call: "socket"))
      return Identity(user: caller.id, session: caller.session, by: .token)
    } catch let refusal as Refusal where refusal.code != .tooManyCalls {
      throw NotAllowed(message: (refusal.code == .tokenExpired ? ErrorCode.tokenExpired : .badToken).rawValue)
    } catch is Failure {
      throw NotAllowed(message: ErrorCode.badToken.rawValue)
    }
  }

  /// An address identifies a client only if it is the only one behind it. A web page has cookies; without one, its script may come from
  /// any site that the person at that address visits, by a name that leads here.
  private func mayComeByAddress(_ origin: String?, _ client: ClientAddress) -> Bool {
    settings.sockets.access == .recent && !client.isShared && origin.map(Self.isOfProgram) ?? true
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
