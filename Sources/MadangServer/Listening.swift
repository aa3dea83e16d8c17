import Foundation
import MadangCore
import NIOCore
import ServiceLifecycle
import Synchronization

/// Lets tasks wait until a listener accepts connections.
package final class Listening: Sendable {
  private struct State {
    var outcome: Result<Int, any Error>?
    var waiting: [CheckedContinuation<Int, any Error>] = []
  }

  private let state = Mutex(State())

  package init() {}

  package func began(_ port: Int) { settle(.success(port)) }

  package func failed(_ error: any Error) { settle(.failure(error)) }

  /// Keeps the first outcome, and resumes the tasks that wait for it. Later outcomes are ignored.
  private func settle(_ outcome: Result<Int, any Error>) {
    let waiting = state.withLock { state in
      guard state.outcome == nil else { return [CheckedContinuation<Int, any Error>]() }
      state.outcome = outcome
      defer { state.waiting = [] }
      return state.waiting
    }
    for one in waiting { one.resume(with: outcome) }
  }

  /// The listener's port, as soon as it accepts connections. Throws the listener's error if it failed.
  package var port: Int {
    get async throws {
      try await withCheckedThrowingContinuation { continuation in
        let outcome = state.withLock { state in
          if state.outcome == nil { state.waiting.append(continuation) }
          return state.outcome
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    }
  }
}

/// A second listener, at an address of its own.
struct ListenerService: ServiceLifecycle.Service {
  let listener: any ServiceLifecycle.Service
  let host: String
  let port: Int
  /// The setting that names the address.
  let setting: String

  func run() async throws {
    try await wordingTaken(host, port, cure: "choose another port with \(setting)") { try await listener.run() }
  }
}

/// Runs `body`. Throws ``SetupError`` instead of the system's error for an address at which another program listens.
package func wordingTaken(_ host: String, _ port: Int, cure: String, _ body: () async throws -> Void) async throws {
  do { try await body() } catch let error as IOError where error.errnoCode == EADDRINUSE {
    throw SetupError("port \(port) of \(host) is in use; stop the other program, or \(cure)", takenPort: port)
  }
}
