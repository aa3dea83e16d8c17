import Foundation
import Logging
import MadangAPI
import MadangCore
import ServiceLifecycle
import SocketIOProtocol

/// Looks for chats that are dated in the future, at the start and as they are posted, and tells the log.
package final class ClockWatch: ServiceLifecycle.Service {
  private let madang: Madang
  private let isDevelopment: Bool
  private let logger: Logger
  private let budget = LogBudget(limit: 1)

  package init(_ madang: Madang, isDevelopment: Bool, logger: Logger) {
    (self.madang, self.isDevelopment, self.logger) = (madang, isDevelopment, logger)
  }

  package func run() async throws {
    // Development mode moves its clock as it likes.
    if !isDevelopment {
      do {
        if let found = try await madang.futureChats() {
          logger.warning("\(found.words)", metadata: ["cure": "\(FutureChats.cure)"])
        }
      } catch {
        logger.warning("dates of chats cannot be looked at", metadata: ["error": "\(String(reflecting: error))"])
      }
    }
    try? await gracefulShutdown()
  }

  /// A chat was posted in a room.
  /// - Parameter date: Its date, in milliseconds since 1970.
  package func posted(in room: Int64, dated date: Int64) {
    guard !isDevelopment, date > madang.clock.now + Madang.clockTolerance,
      budget.take(at: madang.clock.steady) != nil
    else { return }
    logger.warning(
      "a chat is dated in the future, after the one before it in its room",
      metadata: [
        "room": "\(room)", "date": "\(WireDate.string(date))", "cure": "\(FutureChats.cure)",
      ])
  }
}
