import Foundation
import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangOperations
import SocketIOProtocol
import SocketIOServer

/// Connects rooms and sockets: who may join a room's namespace, and the delivery of each chat.
struct RoomSockets: Sendable {
  private let madang: Madang
  private let callers: Callers
  private let held: HeldConnects
  private let socketIO: SocketIOServer
  private let admitted: AdmittedSockets
  private let admission: RoomAdmission
  private let checks: SocketChecks

  init(
    _ madang: Madang, _ settings: ServerSettings, _ callers: Callers, _ limits: Limits, _ reports: Reports,
    _ admitted: AdmittedSockets, _ socketIO: SocketIOServer
  ) {
    (self.madang, self.callers, held, self.socketIO) = (madang, callers, limits.held, socketIO)
    self.admitted = admitted
    admission = RoomAdmission(
      madang: madang, settings: settings, callers: callers, limits: limits, reports: reports, admitted: admitted)
    checks = SocketChecks(madang, admitted)
  }

  func admit(_ request: ConnectRequest, _ dispatcher: Dispatcher) async -> Admission {
    let decision = await admission.decide(request)
    // A socket gets no chats from before its admission, even if this server learns of them only now.
    if case .accept(let data) = decision, let grant = data[AdmittedSockets.Grant.self] {
      await dispatcher.catchUp(grant.room, through: grant.seq)
    }
    return decision
  }

  /// A socket has joined a room.
  ///
  /// - Parameter dispatcher: Is notified which rooms have sockets.
  func connected(_ socket: Socket, _ dispatcher: Dispatcher) {
    guard let grant = socket[AdmittedSockets.Grant.self] else { return }
    if let user = grant.user { callers.recent.connected(user, at: client(of: socket.handshake)) }
    if !admitted.joined(socket, grant) { checks.add([(socket, grant)], isUrgent: true) }
    dispatcher.joined(grant.room, after: grant.seq)
  }

  func disconnected(_ socket: Socket, _ dispatcher: Dispatcher) {
    guard let grant = socket[AdmittedSockets.Grant.self] else { return }
    dispatcher.left(grant.room)
    let wasAdmitted = admitted.left(socket)
    guard let user = grant.user else { return }
    callers.recent.disconnected(user, at: client(of: socket.handshake), isFresh: wasAdmitted)
  }

  /// Acts on access that was granted or ended. Returns at once.
  ///
  /// - Parameter isLate: Whether the change was read some time after its commit. Endings that are final still disconnect
  ///   sockets; a membership or a session may have begun again meanwhile and admitted the present sockets.
  func act(on change: Change, isLate: Bool) {
    switch change {
    case .roomDeleted(let room, _): admitted.end(.room(room))
    case .workspaceDeleted(let workspace): admitted.end(.workspace(workspace))
    case .membershipEnded(let user, let workspace):
      guard isLate else { return admitted.end(.user(user)) { $0.workspace == workspace } }
      checks.add(admitted.doubtful(.user(user), where: { $0.workspace == workspace }), isUrgent: true)
    case .membershipBegan(let user):
      held.ring(.user(user))
      held.ring(.anybody)
    // An ended session keeps no socket open, and neither does the address of an account without sessions.
    case .sessionEnded(let session): admitted.end(.session(session))
    case .sessionsEnded(let user, let last):
      guard isLate else { return admitted.end(.user(user)) { $0.session?.number ?? 0 <= last } }
      admitted.end(.user(user)) { ($0.session?.number).map { $0 <= last } ?? false }
      checks.add(admitted.doubtful(.user(user), where: { $0.session == nil }), isUrgent: true)
    }
  }

  /// Disconnects the sockets of ended sessions and disabled accounts. Changes normally do this; here are those that no
  /// change announced.
  func review() async throws {
    let grants = admitted.grants
    let ended = try await madang.ended(
      sessions: Set(grants.compactMap(\.session)), users: Set(grants.compactMap(\.user)))
    guard !ended.sessions.isEmpty || !ended.users.isEmpty else { return }
    for session in ended.sessions { admitted.end(.session(session.number)) { $0.session == session } }
    for user in ended.users { admitted.end(.user(user)) }
  }

  /// Checks all waiting connects and all sockets, because changes may have been missed. Returns at once.
  func checkAllAgain() {
    held.ringAll()
    checks.add(admitted.allDoubtful(), isUrgent: false)
  }

  /// Sends a committed chat to its namespaces, encoded once for each edition that has sockets.
  func deliver(_ chat: Chat) {
    for edition in callers.editions {
      let targets = edition.targets(chat).filter { socketIO.hasSockets(in: $0.namespace.name) }
      guard !targets.isEmpty else { continue }
      let json = edition.encode(chat)
      for target in targets { socketIO.emit(target.event.rawValue, json: json, to: target.namespace.name) }
    }
  }

  private func client(of handshake: Handshake) -> ClientAddress {
    callers.client(handshake.headers, peer: handshake.remoteAddress)
  }
}
