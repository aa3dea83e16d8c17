import Logging
import MadangCore
import SocketIOProtocol

/// Writes what failed unexpectedly to the log, so many lines a minute: while the database is away every request fails, and clients decide how
/// many there are. Metrics count them all.
struct FailureLog: Sendable {
  private let logger: Logger
  private let budget: LogBudget
  private let clock: Clock

  /// - Parameter linesPerMinute: The limit; the next line says how many were left out.
  init(_ logger: Logger, linesPerMinute: Int, clock: Clock) {
    (self.logger, self.clock) = (logger, clock)
    budget = LogBudget(limit: linesPerMinute)
  }

  func write(_ message: Logger.Message, _ error: any Error, _ metadata: Logger.Metadata = [:]) {
    guard let leftOut = budget.take(at: clock.steady) else { return }
    var metadata = metadata
    metadata["error"] = "\(String(reflecting: error))"
    if leftOut > 0 { metadata["left-out"] = "\(leftOut)" }
    logger.error(message, metadata: metadata)
  }
}
