import Foundation
import HTTPTypes
import Hummingbird
import Logging
import MadangAPI
import MadangCore
import SocketIOProtocol
import SocketIOServer

/// The bridge between rooms and sockets: who may join a room's namespace, and each chat on its way out.
struct RoomSockets: Sendable {
  private let service: Service
  private let admitted = AdmittedSockets()

  init(_ service: Service) { self.service = service }

  /// Declares the namespaces: `/` accepts everybody and never emits; a room's admits its readers.
  /// No event of a client has a handler: all are ignored, none is relayed.
  func register() {
    service.socketIO.namespace(where: { $0 == "/" }, configure: NamespaceHandlers())
    service.socketIO.namespace(
      where: { RoomNamespace(name: $0) != nil },
      configure: NamespaceHandlers(
        admit: { await admit($0) },
        connected: { socket in
          guard let reason = AdmittedSockets.Reason(socket.data) else { return }
          if let user = reason.user { service.recent.connected(user, at: address(of: socket.handshake)) }
          if !admitted.joined(socket, reason) { checkAgain(socket, reason) }
        },
        disconnected: { socket, _ in
          guard let reason = AdmittedSockets.Reason(socket.data) else { return }
          if let user = reason.user { service.recent.disconnected(user, at: address(of: socket.handshake)) }
          admitted.left(socket, reason)
        }))
  }

  /// Acts on what was committed, in that order. Returns at once.
  func receive(_ event: MadangCore.Event) {
    switch event {
    case .chatPosted(let chat): deliver(chat)
    case .roomDeleted(let room, let workspace): admitted.end(in: workspace) { $0.room == room }
    case .workspaceDeleted(let workspace): admitted.end(in: workspace) { _ in true }
    case .membershipEnded(let user, let workspace): admitted.end(in: workspace) { $0.user == user }
    // A token that is worth nothing any more keeps no socket open.
    case .sessionEnded(let session): admitted.end { $0.session == session }
    }
  }

  /// Sends away the sockets of sessions that are over and of accounts that are disabled. What this server ends itself
  /// it hears of at once; an administrator works on the database.
  func review() async throws {
    let reasons = admitted.reasons
    let ended = try await service.madang.ended(sessions: reasons.sessions, users: reasons.users)
    guard !ended.sessions.isEmpty || !ended.users.isEmpty else { return }
    admitted.end { reason in
      reason.session.map(ended.sessions.contains) ?? false || reason.user.map(ended.users.contains) ?? false
    }
  }

  /// Something was taken away from sockets between the check that let this one in and its joining.
  private func checkAgain(_ socket: Socket, _ reason: AdmittedSockets.Reason) {
    // Unstructured: it belongs to the socket, whose handler must not wait.
    Task {
      do {
        try await service.madang.confirm(room: reason.room, readableBy: reason.user, session: reason.session)
      } catch {
        socket.disconnect()
      }
    }
  }

  /// Sends a committed chat to everybody in its namespaces, encoded once per edition that is listening.
  private func deliver(_ chat: Chat) {
    for edition in service.editions {
      let targets = edition.targets(chat).filter { service.socketIO.hasSockets(in: $0.namespace.name) }
      guard !targets.isEmpty else { continue }
      do {
        let json = try edition.encode(chat)
        for target in targets { service.socketIO.emit(target.event.rawValue, json: json, to: target.namespace.name) }
      } catch {
        service.logger.error("a chat could not be encoded", metadata: ["error": "\(String(reflecting: error))"])
      }
    }
  }

  private struct NotAllowed: Error {
    let message: String
    static let room = NotAllowed(message: "not allowed")
  }

  /// Decides on a connect. Clients connect in parallel with, or before, the call that justifies it, so an admission
  /// that fails for want of membership is tried again for a while before it is refused; bad credentials are refused
  /// at once (contract section 13.3).
  private func admit(_ request: ConnectRequest) async -> Admission {
    do {
      // The form of its id tells a namespace's edition (contract section 2.1).
      guard let namespace = RoomNamespace(name: request.namespace),
        let edition = service.editions.first(where: { $0.isID(namespace.id) })
      else { throw NotAllowed.room }
      let credentials = Credentials(request)
      let caller = try await check(credentials, for: edition, from: address(of: request.handshake))
      let deadline = ContinuousClock.now + service.settings.socketHold
      while true {
        if let reason = try await reason(namespace, edition, caller, from: address(of: request.handshake)) {
          return .accept(reason.data)
        }
        guard ContinuousClock.now < deadline else { throw NotAllowed.room }
        try await Task.sleep(for: service.settings.socketHoldInterval)
      }
    } catch let error as NotAllowed {
      return .refuse(message: error.message)
    } catch is CancellationError {
      return .refuse(message: NotAllowed.room.message)
    } catch {
      service.logger.error("a socket could not be admitted", metadata: ["error": "\(String(reflecting: error))"])
      return .refuse(message: ErrorCode.serverFailure.rawValue)
    }
  }

  /// What lets the socket in now, or nil.
  private func reason(_ namespace: RoomNamespace, _ edition: Edition, _ caller: Caller?, from address: String)
    async throws -> AdmittedSockets.Reason?
  {
    let endings = admitted.endings
    let reference = edition.reference(namespace.id)
    for kind in edition.rooms(namespace.prefix) {
      do {
        let room: Room
        var user: Int64?
        if let caller {
          room = try await service.madang.room(kind, reference, readableBy: caller.id)
          user = caller.id
        } else {
          room = try await service.madang.room(kind, reference)
          if service.settings.socketAccess == .recent {
            let window = service.settings.socketRecentWindow
            user = try await service.madang.reader(of: room, seenAt: address, within: window)
            if user == nil { return nil }
          }
        }
        return .init(
          workspace: room.workspace, room: room.id.number, user: user, session: caller?.session, endings: endings)
      } catch let failure as Failure where failure.code == .notFound {
        continue
      }
    }
    return nil
  }

  /// The account a token stands for; nil where none is needed and none was shown.
  private func check(_ credentials: Credentials, for edition: Edition, from address: String) async throws -> Caller? {
    let access = service.settings.socketAccess
    guard access != .open else { return nil }
    let key = await service.edition(ofKey: credentials.key)
    guard key?.name == edition.name || (access == .recent && credentials.key == nil) else {
      throw NotAllowed(message: ErrorCode.badKey.rawValue)
    }
    guard let token = credentials.token else {
      if access == .recent { return nil }
      throw NotAllowed(message: ErrorCode.badToken.rawValue)
    }
    do {
      let claims = try await service.claims(of: token, edition: edition)
      return try await service.caller(token, claims, address, edition, mayBeExpired: false)
    } catch let refusal as Refusal {
      throw NotAllowed(message: (refusal.code == .tokenExpired ? ErrorCode.tokenExpired : .badToken).rawValue)
    } catch is Failure {
      throw NotAllowed(message: ErrorCode.badToken.rawValue)
    }
  }

  private func address(of handshake: Handshake) -> String {
    service.address(headers: handshake.headers, peer: handshake.remoteAddress)
  }
}

/// The key and token of a connect: from the handshake's headers, its query, or the connect payload.
private struct Credentials {
  let key: String?
  let token: String?

  private struct Payload: Decodable {
    let key: String?
    let token: String?
    let authorization: String?

    enum CodingKeys: String, CodingKey {
      case key = "SesacKey"
      case token
      case authorization = "Authorization"
    }
  }

  init(_ request: ConnectRequest) {
    let payload = request.auth.isEmpty ? nil : try? JSONDecoder().decode(Payload.self, from: Data(request.auth))
    let handshake = request.handshake
    let keys = [handshake.headers[.apiKey], handshake.query[HeaderName.apiKey], payload?.key]
    key = keys.lazy.compactMap { $0?.trimmingWhitespace() }.first { !$0.isEmpty }
    let tokens = [
      handshake.headers[.authorization], handshake.query[HeaderName.authorization], payload?.token,
      payload?.authorization,
    ]
    token = tokens.lazy.compactMap { $0.flatMap(rawToken) }.first
  }
}
