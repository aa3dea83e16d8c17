import Foundation
import Logging
import MadangAPI
import MadangCore
import ServiceLifecycle
import SocketIOProtocol

/// Looks for chats with future dates, at the start and at each post, and logs them.
package final class ClockWatch: ServiceLifecycle.Service {
  private let madang: Madang
  private let isDevelopment: Bool
  private let logger: Logger
  private let budget = LogBudget(limit: 1)

  package init(_ madang: Madang, isDevelopment: Bool, logger: Logger) {
    (self.madang, self.isDevelopment, self.logger) = (madang, isDevelopment, logger)
  }

  package func run() async throws {
    // Development mode moves its clock freely.
    if !isDevelopment {
      do {
        if let found = try await madang.futureChats() {
          logger.warning("\(found.words)", metadata: ["cure": "\(FutureChats.cure)"])
        }
      } catch {
        logger.warning("dates of chats cannot be checked", metadata: ["error": "\(String(reflecting: error))"])
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
      "a chat got a date in the future, because the chat before it in its room has one",
      metadata: [
        "room": "\(room)", "date": "\(WireDate.string(date))", "cure": "\(FutureChats.cure)",
      ])
  }
}
