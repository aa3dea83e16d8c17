import SocketIOServer
import Synchronization

/// The sockets in rooms, with what let each of them in: so that they can be sent away when that is gone.
final class AdmittedSockets: Sendable {
  /// What a socket was admitted by.
  struct Reason: Equatable, Sendable {
    let workspace: Int64
    let room: Int64
    /// Nil where everybody is let in.
    let user: Int64?
    /// Nil where no token and no cookie was shown.
    let session: Int64?
    let by: SocketAdmission
    /// Endings known when the check that let the socket in began.
    let endings: Int
    /// The room's newest chat at that check: the first socket of a room hears what follows it.
    let seq: Int64
  }

  private struct State {
    var sockets: [Int64: [ObjectIdentifier: (socket: Socket, reason: Reason)]] = [:]
    var endings = 0

    mutating func remove(_ socket: Socket, of workspace: Int64) -> Bool {
      let wasThere = sockets[workspace]?.removeValue(forKey: ObjectIdentifier(socket)) != nil
      if sockets[workspace]?.isEmpty ?? false { sockets[workspace] = nil }
      return wasThere
    }
  }

  private let state = Mutex(State())

  /// How often something was taken away from sockets so far.
  var endings: Int { state.withLock { $0.endings } }

  /// Notes a socket. False if something was taken away from sockets since it was checked: then check once more.
  func joined(_ socket: Socket, _ reason: Reason) -> Bool {
    state.withLock { state in
      state.sockets[reason.workspace, default: [:]][ObjectIdentifier(socket)] = (socket, reason)
      return state.endings == reason.endings
    }
  }

  /// Forgets a socket. False if it was sent away, or never noted.
  func left(_ socket: Socket, _ reason: Reason) -> Bool {
    state.withLock { $0.remove(socket, of: reason.workspace) }
  }

  /// What the sockets that are there were admitted by.
  var reasons: [Reason] {
    state.withLock { $0.sockets.values.joined().map(\.value.reason) }
  }

  /// Sends away the sockets of a workspace, or of all, whose reason has ended. Returns at once; a chat announced
  /// afterwards does not reach them.
  func end(in workspace: Int64? = nil, where hasEnded: (Reason) -> Bool) {
    let ended = state.withLock { state in
      state.endings += 1
      let candidates = workspace.map { [state.sockets[$0] ?? [:]] } ?? Array(state.sockets.values)
      let ended = candidates.flatMap { $0.values.filter { hasEnded($0.reason) } }
      for (socket, reason) in ended { _ = state.remove(socket, of: reason.workspace) }
      return ended.map(\.socket)
    }
    for socket in ended { socket.disconnect() }
  }
}

extension AdmittedSockets.Reason {
  /// As it travels with the socket.
  var data: SocketData {
    let numbers = [workspace, room, session ?? 0, Int64(endings), seq]
    return SocketData(number: user, text: ([by.rawValue] + numbers.map(String.init)).joined(separator: " "))
  }

  /// Nil for a socket outside of rooms.
  init?(_ data: SocketData) {
    let parts = data.text?.split(separator: " ") ?? []
    let numbers = parts.dropFirst().compactMap { Int64($0) }
    guard numbers.count == 5, let by = SocketAdmission(rawValue: String(parts[0])) else { return nil }
    self.init(
      workspace: numbers[0], room: numbers[1], user: data.number, session: numbers[2] == 0 ? nil : numbers[2], by: by,
      endings: Int(numbers[3]), seq: numbers[4])
  }
}
