import Dispatch
import Foundation
import Synchronization

/// Ctrl-C: ends setup with a line about what was done until then.
final class SetupInterrupt: Sendable {
  /// What was done when Ctrl-C comes.
  enum Progress: String {
    case asking = "nothing was changed; run the same command again to start over"
    case working = "setup has not ended; run the same command again, and it does what is left"
    case undoing = "not all is taken back; run 'madang setup --undo' again, and it does what is left"
  }

  private let progress = Mutex(Progress.asking)

  func reach(_ new: Progress) { progress.withLock { $0 = new } }

  /// Obeys Ctrl-C as long as the result is not cancelled.
  func source() -> any DispatchSourceSignal {
    #if canImport(Darwin)
      signal(SIGINT, SIG_IGN)
    #endif
    // A queue of its own: the thread of the command waits for an answer.
    let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: DispatchQueue(label: "setup.interrupt"))
    source.setEventHandler { self.end() }
    source.resume()
    return source
  }

  func end() -> Never {
    // Until the end, so that no work begins meanwhile.
    progress.withLock { progress in
      // The terminal's cursor is after ^C.
      Terminal.problem("\nmadang: interrupted: \(progress.rawValue)")
      // 'exit' would wait for the thread that reads standard input.
      _exit(128 + SIGINT)
    }
  }
}
