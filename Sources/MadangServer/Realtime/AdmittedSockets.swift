import MadangCore
import SocketIOServer
import Synchronization

/// The sockets in rooms with the reason for their admission, so that they can be disconnected when it ends.
final class AdmittedSockets: Sendable {
  /// The reason for a socket's admission, stored with the socket.
  struct Grant: Equatable, Sendable {
    let workspace: Int64
    let room: Int64
    /// Nil if every client is admitted.
    let user: Int64?
    /// Nil if the client sent neither token nor cookie.
    let session: SessionID?
    let by: SocketAdmission
    /// The number of endings when the admission check began.
    let endings: Int
    /// The room's newest chat at that check: the first socket of a room gets the chats after it.
    let seq: Int64
  }

  /// A reason that sockets depend on; sockets are found by it.
  enum Tie: Hashable {
    case workspace(Int64)
    case room(Int64)
    case user(Int64)
    /// By its number.
    case session(Int64)
  }

  private struct State {
    var sockets: [ObjectIdentifier: (socket: Socket, grant: Grant)] = [:]
    var tied: [Tie: Set<ObjectIdentifier>] = [:]
    var endings = 0

    mutating func add(_ socket: Socket, _ grant: Grant) {
      sockets[ObjectIdentifier(socket)] = (socket, grant)
      for tie in grant.ties { tied[tie, default: []].insert(ObjectIdentifier(socket)) }
    }

    mutating func remove(_ socket: Socket) -> Bool {
      guard let (_, grant) = sockets.removeValue(forKey: ObjectIdentifier(socket)) else { return false }
      for tie in grant.ties {
        tied[tie]?.remove(ObjectIdentifier(socket))
        if tied[tie]?.isEmpty ?? false { tied[tie] = nil }
      }
      return true
    }

    func found(_ tie: Tie, where condition: (Grant) -> Bool) -> [(socket: Socket, grant: Grant)] {
      (tied[tie] ?? []).compactMap { sockets[$0] }.filter { condition($0.grant) }
    }
  }

  private let state = Mutex(State())

  /// How many accounts have a socket.
  var people: Int {
    state.withLock { state in state.tied.keys.count { if case .user = $0 { true } else { false } } }
  }

  /// How many endings there were so far.
  var endings: Int { state.withLock { $0.endings } }

  /// Adds a socket. False if access ended since its check: then check again.
  func joined(_ socket: Socket, _ grant: Grant) -> Bool {
    state.withLock { state in
      state.add(socket, grant)
      return state.endings == grant.endings
    }
  }

  /// Removes a socket. False if it was disconnected, or never added.
  func left(_ socket: Socket) -> Bool {
    state.withLock { $0.remove(socket) }
  }

  /// The reasons for the present sockets.
  var grants: [Grant] {
    state.withLock { $0.sockets.values.map(\.grant) }
  }

  /// All sockets, because access may have ended for any of them.
  func allDoubtful() -> [(socket: Socket, grant: Grant)] {
    state.withLock { state in
      state.endings += 1
      return Array(state.sockets.values)
    }
  }

  /// Disconnects the sockets that depend on this and whose grant has ended. Returns at once; a chat announced
  /// afterwards does not reach them.
  func end(_ tie: Tie, where hasEnded: (Grant) -> Bool = { _ in true }) {
    let ended = state.withLock { state in
      state.endings += 1
      let ended = state.found(tie, where: hasEnded)
      for (socket, _) in ended { _ = state.remove(socket) }
      return ended.map(\.socket)
    }
    for socket in ended { socket.disconnect() }
  }

  /// The sockets that depend on this and whose grant may have ended, or begun again since: check them once more.
  func doubtful(_ tie: Tie, where mayHaveEnded: (Grant) -> Bool) -> [(socket: Socket, grant: Grant)] {
    state.withLock { state in
      state.endings += 1
      return state.found(tie, where: mayHaveEnded)
    }
  }
}

extension AdmittedSockets.Grant {
  fileprivate var ties: [AdmittedSockets.Tie] {
    [.workspace(workspace), .room(room)] + (user.map { [.user($0)] } ?? [])
      + (session.map { [.session($0.number)] } ?? [])
  }

  var listener: RoomListener { RoomListener(room: room, user: user, session: session) }
}
