import Logging
import MadangCore
import SocketIOServer
import Storage
import Synchronization

/// Checks the access of sockets again, some at a time. Only ended access disconnects a socket, because its client would not
/// return by itself. While the database does not answer, all stay connected and wait.
final class SocketChecks: Sendable {
  private struct State {
    var waiting: [ObjectIdentifier: (socket: Socket, grant: AdmittedSockets.Grant)] = [:]
    /// Sockets that are checked first.
    var urgent: Set<ObjectIdentifier> = []
    var isRunning = false
  }

  private static let part = 100
  private static let pause: Duration = .seconds(1)

  private let madang: Madang
  private let admitted: AdmittedSockets
  private let state = Mutex(State())

  init(_ madang: Madang, _ admitted: AdmittedSockets) { (self.madang, self.admitted) = (madang, admitted) }

  /// Returns at once.
  ///
  /// - Parameter isUrgent: Whether access is known to have ended: these sockets are checked first.
  func add(_ sockets: [(socket: Socket, grant: AdmittedSockets.Grant)], isUrgent: Bool) {
    guard !sockets.isEmpty else { return }
    let begins = state.withLock { state in
      for entry in sockets {
        state.waiting[ObjectIdentifier(entry.socket)] = entry
        if isUrgent { state.urgent.insert(ObjectIdentifier(entry.socket)) }
      }
      defer { state.isRunning = true }
      return !state.isRunning
    }
    // Unstructured: the caller, such as a socket's handler, must not wait.
    if begins { Task { await run() } }
  }

  private func run() async {
    while let part = take() {
      do {
        let ended = try await madang.ended(Set(part.map(\.grant.listener)))
        for (socket, grant) in part where ended.contains(grant.listener) {
          _ = admitted.left(socket)
          socket.disconnect()
        }
      } catch let error as StorageError where error.code == .closed {
        return
      } catch {
        madang.logger.warning(
          "sockets cannot be checked; they stay connected until they can be",
          metadata: ["error": "\(String(reflecting: error))"])
        state.withLock { state in
          for entry in part { state.waiting[ObjectIdentifier(entry.socket)] = entry }
        }
        try? await Task.sleep(for: Self.pause)
      }
    }
  }

  private func take() -> [(socket: Socket, grant: AdmittedSockets.Grant)]? {
    state.withLock { state in
      let next =
        state.urgent.isEmpty ? Array(state.waiting.keys.prefix(Self.part)) : Array(state.urgent.prefix(Self.part))
      state.urgent.subtract(next)
      let part = next.compactMap { state.waiting.removeValue(forKey: $0) }
      state.isRunning = !part.isEmpty
      return part.isEmpty ? nil : part
    }
  }
}
