import MadangCore
import SocketIOServer
import Synchronization

/// The sockets in rooms, with what let each of them in: so that they can be disconnected when that is gone.
final class AdmittedSockets: Sendable {
  /// What a socket was admitted by, and remembers.
  struct Reason: Equatable, Sendable {
    let workspace: Int64
    let room: Int64
    /// Nil where everybody is let in.
    let user: Int64?
    /// Nil where no token and no cookie was shown.
    let session: SessionID?
    let by: SocketAdmission
    /// Endings known when the check that let the socket in began.
    let endings: Int
    /// The room's newest chat at that check: the first socket of a room hears what follows it.
    let seq: Int64
  }

  /// What sockets depend on, by which those are found that depend on it.
  enum Tie: Hashable {
    case workspace(Int64)
    case room(Int64)
    case user(Int64)
    /// By its number.
    case session(Int64)
  }

  private struct State {
    var sockets: [ObjectIdentifier: (socket: Socket, reason: Reason)] = [:]
    var tied: [Tie: Set<ObjectIdentifier>] = [:]
    var endings = 0

    mutating func add(_ socket: Socket, _ reason: Reason) {
      sockets[ObjectIdentifier(socket)] = (socket, reason)
      for tie in reason.ties { tied[tie, default: []].insert(ObjectIdentifier(socket)) }
    }

    mutating func remove(_ socket: Socket) -> Bool {
      guard let (_, reason) = sockets.removeValue(forKey: ObjectIdentifier(socket)) else { return false }
      for tie in reason.ties {
        tied[tie]?.remove(ObjectIdentifier(socket))
        if tied[tie]?.isEmpty ?? false { tied[tie] = nil }
      }
      return true
    }

    func found(_ tie: Tie, where condition: (Reason) -> Bool) -> [(socket: Socket, reason: Reason)] {
      (tied[tie] ?? []).compactMap { sockets[$0] }.filter { condition($0.reason) }
    }
  }

  private let state = Mutex(State())

  /// How often something was taken away from sockets so far.
  var endings: Int { state.withLock { $0.endings } }

  /// Notes a socket. False if something was taken away from sockets since it was checked: then check once more.
  func joined(_ socket: Socket, _ reason: Reason) -> Bool {
    state.withLock { state in
      state.add(socket, reason)
      return state.endings == reason.endings
    }
  }

  /// Forgets a socket. False if it was disconnected, or never noted.
  func left(_ socket: Socket) -> Bool {
    state.withLock { $0.remove(socket) }
  }

  /// What the sockets that are there were admitted by.
  var reasons: [Reason] {
    state.withLock { $0.sockets.values.map(\.reason) }
  }

  /// All sockets: something may have been taken away from any of them.
  func allDoubtful() -> [(socket: Socket, reason: Reason)] {
    state.withLock { state in
      state.endings += 1
      return Array(state.sockets.values)
    }
  }

  /// Disconnects the sockets that depend on this and whose reason has ended. Returns at once; a chat announced
  /// afterwards does not reach them.
  func end(_ tie: Tie, where hasEnded: (Reason) -> Bool = { _ in true }) {
    let ended = state.withLock { state in
      state.endings += 1
      let ended = state.found(tie, where: hasEnded)
      for (socket, _) in ended { _ = state.remove(socket) }
      return ended.map(\.socket)
    }
    for socket in ended { socket.disconnect() }
  }

  /// The sockets that depend on this and whose reason may have ended, or begun again since: check them once more.
  func doubtful(_ tie: Tie, where mayHaveEnded: (Reason) -> Bool) -> [(socket: Socket, reason: Reason)] {
    state.withLock { state in
      state.endings += 1
      return state.found(tie, where: mayHaveEnded)
    }
  }
}

extension AdmittedSockets.Reason {
  fileprivate var ties: [AdmittedSockets.Tie] {
    [.workspace(workspace), .room(room)] + (user.map { [.user($0)] } ?? [])
      + (session.map { [.session($0.number)] } ?? [])
  }

  var listener: RoomListener { RoomListener(room: room, user: user, session: session) }
}
