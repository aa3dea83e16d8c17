import Logging
import MadangAPI
import MadangCore
import MadangOperations
import ServiceLifecycle
import SocketIOProtocol
import Synchronization

/// Writes failed sign-ins to the audit log in the background, up to a number per minute: unknown clients cause them, so
/// they must neither fill the disk nor wait for it. Further ones are counted, and their number is written a minute later.
final class RefusedSignIns: ServiceLifecycle.Service {
  private struct State {
    var began: Milliseconds?
    var taken = 0
    var waiting: [RefusedSignIn] = []
    /// The count of this minute.
    var leftOut = 0
    /// The count of earlier minutes, still to be written.
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
  private let failed: @Sendable () -> Void

  /// - Parameter failed: Called for each failed sign-in, also for one that is only counted.
  init(_ madang: Madang, perMinute: Int, failed: @escaping @Sendable () -> Void) {
    (self.madang, self.perMinute, self.failed) = (madang, perMinute, failed)
  }

  /// A sign-in or sign-up was refused. Returns at once.
  /// - Parameter emailKey: Empty if the client sent none.
  func note(_ kind: AuditKind, _ emailKey: String, from origin: Origin, because reason: String) {
    if kind == .signInRefused { failed() }
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

  /// Runs a sign-in or a sign-up, and records a refusal.
  /// - Parameter emailKey: Empty if the client sent none.
  func noting<Success>(_ emailKey: String, _ origin: Origin, _ body: () async throws -> Success) async throws -> Success
  {
    do { return try await body() } catch {
      switch error {
      case let failure as Failure where failure.isOfSignIn:
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

  /// Writes waiting entries. Entries that cannot be written are logged, and count as left out.
  /// - Parameter isLast: Whether to write the count of this minute, too.
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
      // Not cancelled with the server, because these entries are about its last requests.
      try await Task { [madang] in try await madang.audit(refused, leftOut: leftOut) }.value
    } catch {
      state.withLock { $0.overdue += refused.count + leftOut }
      madang.logger.warning(
        "failed sign-ins could not be recorded in the audit log", metadata: ["error": "\(String(reflecting: error))"])
    }
  }
}
