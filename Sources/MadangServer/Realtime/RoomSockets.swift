import Foundation
import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import SocketIOProtocol
import SocketIOServer

/// The bridge between rooms and sockets: who may join a room's namespace, and each chat on its way out.
struct RoomSockets: Sendable {
  private let service: Service
  private let admitted: AdmittedSockets
  private let admission: RoomAdmission
  private let checks: SocketChecks

  init(_ service: Service) {
    self.service = service
    admitted = AdmittedSockets()
    admission = RoomAdmission(service, admitted)
    checks = SocketChecks(service.madang, admitted)
  }

  func admit(_ request: ConnectRequest, _ dispatcher: Dispatcher) async -> Admission {
    let decision = await admission.decide(request)
    // A socket hears nothing of what was said before it was let in, even if this server learns of it only now.
    if case .accept(let data) = decision, let reason = data[AdmittedSockets.Reason.self] {
      await dispatcher.catchUp(reason.room, through: reason.seq)
    }
    return decision
  }

  /// A socket has joined a room.
  ///
  /// - Parameter dispatcher: Hears which rooms have sockets.
  func connected(_ socket: Socket, _ dispatcher: Dispatcher) {
    guard let reason = socket[AdmittedSockets.Reason.self] else { return }
    if let user = reason.user { service.recent.connected(user, at: client(of: socket.handshake)) }
    if !admitted.joined(socket, reason) { checks.add([(socket, reason)], isUrgent: true) }
    dispatcher.joined(reason.room, after: reason.seq)
  }

  func disconnected(_ socket: Socket, _ dispatcher: Dispatcher) {
    guard let reason = socket[AdmittedSockets.Reason.self] else { return }
    dispatcher.left(reason.room)
    let wasAdmitted = admitted.left(socket)
    guard let user = reason.user else { return }
    service.recent.disconnected(user, at: client(of: socket.handshake), isFresh: wasAdmitted)
  }

  /// Acts on what was taken away, or given. Returns at once.
  ///
  /// - Parameter isLate: Whether it was read some time after its commit. What does not come back ends sockets all the same; a
  ///   membership or a session may have begun again, and let in sockets that are there now.
  func act(on change: Change, isLate: Bool) {
    switch change {
    case .roomDeleted(let room, _): admitted.end(.room(room))
    case .workspaceDeleted(let workspace): admitted.end(.workspace(workspace))
    case .membershipEnded(let user, let workspace):
      guard isLate else { return admitted.end(.user(user)) { $0.workspace == workspace } }
      checks.add(admitted.doubtful(.user(user), where: { $0.workspace == workspace }), isUrgent: true)
    case .membershipBegan(let user):
      service.held.ring(.user(user))
      service.held.ring(.anybody)
    // A session that is over keeps no socket open, nor does the address of somebody who has none left.
    case .sessionEnded(let session): admitted.end(.session(session))
    case .sessionsEnded(let user, let last):
      guard isLate else { return admitted.end(.user(user)) { $0.session?.number ?? 0 <= last } }
      admitted.end(.user(user)) { ($0.session?.number).map { $0 <= last } ?? false }
      checks.add(admitted.doubtful(.user(user), where: { $0.session == nil }), isUrgent: true)
    }
  }

  /// Disconnects the sockets of sessions that are over and of accounts that are disabled. Changes tell
  /// of them; this finds what no change told.
  func review() async throws {
    let reasons = admitted.reasons
    let ended = try await service.madang.ended(
      sessions: Set(reasons.compactMap(\.session)), users: Set(reasons.compactMap(\.user)))
    guard !ended.sessions.isEmpty || !ended.users.isEmpty else { return }
    for session in ended.sessions { admitted.end(.session(session.number)) { $0.session == session } }
    for user in ended.users { admitted.end(.user(user)) }
  }

  /// Anything may have been given to those who wait, or taken away from any socket, that nobody is told of. Returns at once.
  func checkAllAgain() {
    service.held.ringAll()
    checks.add(admitted.allDoubtful(), isUrgent: false)
  }

  /// Sends a committed chat to everybody in its namespaces, encoded once per edition that is listening.
  func deliver(_ chat: Chat) {
    for edition in service.editions {
      let targets = edition.targets(chat).filter { service.socketIO.hasSockets(in: $0.namespace.name) }
      guard !targets.isEmpty else { continue }
      let json = edition.encode(chat)
      for target in targets { service.socketIO.emit(target.event.rawValue, json: json, to: target.namespace.name) }
    }
  }

  private func client(of handshake: Handshake) -> ClientAddress {
    service.client(handshake.headers, peer: handshake.remoteAddress)
  }
}
