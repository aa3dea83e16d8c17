import Logging
import MadangAPI
import MadangCore
import MadangOperations
import ServiceLifecycle
import SocketIOProtocol
import Synchronization

/// Writes sign-ins that failed to the audit log, so many a minute, beside the requests: strangers cause them, so they may neither
/// fill the disk nor wait for it. What is beyond that is counted, and the number written a minute later.
final class RefusedSignIns: ServiceLifecycle.Service {
  private struct State {
    var began: Milliseconds?
    var taken = 0
    var waiting: [RefusedSignIn] = []
    /// In this minute.
    var leftOut = 0
    /// Before this minute; to be written.
    var overdue = 0

    mutating func moveOn(to now: Milliseconds) {
      guard began.map({ now - $0 >= RefusedSignIns.minute }) ?? true else { return }
      (began, taken) = (now, 0)
      overdue += leftOut
      leftOut = 0
    }
  }

  private static let minute: Milliseconds = 60_000
  private let perMinute: Int
  private let madang: Madang
  private let state = Mutex(State())
  private let wakes = Wakes()

  init(_ madang: Madang, perMinute: Int) {
    self.madang = madang
    self.perMinute = perMinute
  }

  /// A sign-in, or a sign-up, was refused. Returns at once.
  /// - Parameter emailKey: Empty where none was shown.
  func note(_ kind: AuditKind, _ emailKey: String, from origin: Origin, because reason: String) {
    let now = madang.clock.steady
    let refusal = RefusedSignIn(kind, time: madang.clock.now, emailKey: emailKey, origin: origin, reason: reason)
    let isTaken = state.withLock { state in
      state.moveOn(to: now)
      guard state.taken < perMinute, state.waiting.count < perMinute else {
        state.leftOut += 1
        return false
      }
      state.taken += 1
      state.waiting.append(refusal)
      return true
    }
    if isTaken { wakes.wake() }
  }

  /// Runs a sign-in or a sign-up, and notes it if it is refused.
  /// - Parameter emailKey: Empty where none is shown.
  func noting<Success>(_ emailKey: String, _ origin: Origin, _ body: () async throws -> Success) async throws -> Success
  {
    do { return try await body() } catch {
      switch error {
      case let failure as Failure where failure.code == .signInFailed:
        note(.signInRefused, emailKey, from: origin, because: failure.message)
      case let failure as Failure where failure.code == .notAdmitted:
        note(.signUpRefused, emailKey, from: origin, because: failure.message)
      case let refusal as Refusal where refusal.code == .tooManyCalls:
        note(.signInRefused, emailKey, from: origin, because: refusal.message)
      default: break
      }
      throw error
    }
  }

  func run() async throws {
    await withTaskGroup { group in
      group.addTask { [self] in
        await every(.seconds(60), by: madang.clock, atOnce: false) { [self] in await write() }
      }
      await wakes.run { await write() }
    }
  }

  /// Writes what waits. What cannot be written is told to the log, and counts as left out.
  /// - Parameter isLast: Whether this minute's number of those left out is written as well.
  func write(isLast: Bool = false) async {
    let now = madang.clock.steady
    let (refused, leftOut) = state.withLock { state in
      state.moveOn(to: now)
      let leftOut = state.overdue + (isLast ? state.leftOut : 0)
      defer { (state.waiting, state.overdue, state.leftOut) = ([], 0, isLast ? 0 : state.leftOut) }
      return (state.waiting, leftOut)
    }
    guard !refused.isEmpty || leftOut > 0 else { return }
    do {
      // Not cancelled with the server: it is what the last requests left.
      try await Task { [madang] in try await madang.audit(refused, leftOut: leftOut) }.value
    } catch {
      state.withLock { $0.overdue += refused.count + leftOut }
      madang.logger.warning(
        "failed sign-ins could not be recorded in the audit log", metadata: ["error": "\(String(reflecting: error))"])
    }
  }
}
