import Foundation
import Synchronization
import Testing

/// Starts a process with three given streams and without any other descriptor of this process.
///
/// Foundation's `Process` misses terminations when many processes run at once.
enum Spawn {
  static func start(
    _ program: URL, _ arguments: [String], environment: [String: String], input: Int32, output: Int32, errors: Int32
  ) throws -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, descriptor) in [input, output, errors].enumerated() {
      posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
    }
    // The threads of tests block signals, and a child would inherit this.
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var argv = ([program.path] + arguments).map { strdup($0) } + [nil]
    var envp = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    var pid = pid_t()
    let failure = descriptors.withLock { _ in posix_spawn(&pid, program.path, &actions, &attributes, &argv, &envp) }
    try #require(failure == 0, "\(program.path): \(String(cString: strerror(failure)))")
    return pid
  }

  /// Held between creating a pipe and marking it, and while a child is created: no portable call does both at once.
  private static let descriptors = Mutex(())

  /// A pipe that other children do not inherit.
  static func pipe() throws -> (read: Int32, write: Int32) {
    try descriptors.withLock { _ in
      var ends: [Int32] = [0, 0]
      try #require(Foundation.pipe(&ends) == 0)
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return (ends[0], ends[1])
    }
  }

  /// Calls `ended` with the status, or the negated signal, after the process has ended.
  static func wait(for pid: pid_t, ended: @escaping @Sendable (Int32) -> Void) {
    Thread.detachNewThread {
      var status: Int32 = 0
      while waitpid(pid, &status, 0) < 0, errno == EINTR {}
      let signal = status & 0x7f
      ended(signal == 0 ? status >> 8 & 0xff : -signal)
    }
  }

  /// Reads until the other end is closed.
  static func read(_ descriptor: Int32, each chunk: @escaping @Sendable ([UInt8]) -> Void) {
    Thread.detachNewThread {
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      while true {
        let count = Foundation.read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        chunk(Array(buffer[..<count]))
      }
      close(descriptor)
      chunk([])
    }
  }
}
