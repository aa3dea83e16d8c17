import Foundation
import Synchronization

/// A separate thread for blocking calls, which would exhaust the cooperative pool or an event loop.
final class DedicatedThread: Sendable {
  private struct State {
    var hasEnded = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// - Parameter isYielding: Whether other threads have priority when threads with work outnumber the cores: this one gets about a third of
  ///   the share of each other thread.
  init(name: String, isYielding: Bool = false, _ body: @escaping @Sendable () -> Void) {
    let thread = Thread { [self] in
      Self.name(name)
      if isYielding { Self.yield() }
      body()
      let waiters = state.withLock { state in
        state.hasEnded = true
        return state.waiters
      }
      for waiter in waiters { waiter.resume() }
    }
    thread.name = name
    thread.start()
  }

  /// Names the calling thread for `top -H`; if that fails it keeps its creator's name. On Linux, Foundation names only threads whose
  /// `start()` has returned.
  private static func name(_ name: String) {
    #if os(Linux)
      let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
      guard file >= 0 else { return }
      defer { close(file) }
      _ = Array(name.utf8.prefix(15)).withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    #endif
  }

  /// Lowers the calling thread's priority by 5, if possible.
  private static func yield() {
    #if os(Linux)
      // On Linux priorities are per thread; 0 is the calling thread.
      let threads = __priority_which_t(PRIO_PROCESS.rawValue)
      _ = setpriority(threads, 0, getpriority(threads, 0) + 5)
    #endif
  }

  /// Waits until the body has returned.
  func join() async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if !state.hasEnded { state.waiters.append(continuation) }
        return state.hasEnded
      }
      if hasEnded { continuation.resume() }
    }
  }
}
