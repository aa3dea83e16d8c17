import Synchronization

/// The rooms whose chats are being told, each by one task.
final class PushRooms: Sendable {
  private struct State {
    var all: Set<Int64> = []
    var paused = 0
  }

  private let state = Mutex(State())

  var all: Set<Int64> { state.withLock(\.all) }
  /// Those that wait before they try a notification again.
  var paused: Int { state.withLock(\.paused) }
  /// Those that do not.
  var busy: Int { state.withLock { $0.all.count - $0.paused } }

  func begin(_ room: Int64) { _ = state.withLock { $0.all.insert(room) } }
  func end(_ room: Int64) { _ = state.withLock { $0.all.remove(room) } }
  func pause() { state.withLock { $0.paused += 1 } }
  func resume() { state.withLock { $0.paused -= 1 } }
}
