import Foundation
import Logging
import MadangAPI
import MadangCore
import ServiceLifecycle
import SocketIOServer

/// Looks for chats that are dated in the future, at the start and as they are posted, and tells the log.
final class ClockWatch: ServiceLifecycle.Service {
  private let madang: Madang
  private let isDevelopment: Bool
  private let logger: Logger
  private let budget = LogBudget(limit: 1)

  init(_ madang: Madang, isDevelopment: Bool, logger: Logger) {
    (self.madang, self.isDevelopment, self.logger) = (madang, isDevelopment, logger)
  }

  func run() async throws {
    // Development mode moves its clock as it likes.
    if !isDevelopment {
      do {
        if let found = try await madang.futureChats() {
          logger.warning("\(Self.words(found))", metadata: ["cure": "\(Self.cure)"])
        }
      } catch {
        logger.warning("dates of chats cannot be looked at", metadata: ["error": "\(String(reflecting: error))"])
      }
    }
    try? await gracefulShutdown()
  }

  /// A chat was posted in a room.
  /// - Parameter date: Its date, in milliseconds since 1970.
  func posted(in room: Int64, dated date: Int64) {
    guard !isDevelopment, date > madang.clock.now + Madang.clockTolerance,
      budget.take(at: madang.clock.steady) != nil
    else { return }
    logger.warning(
      "a chat is dated in the future, after the one before it in its room",
      metadata: [
        "room": "\(room)", "date": "\(WireDate.string(date))", "cure": "\(Self.cure)",
      ])
  }

  static func words(_ found: FutureChats) -> String {
    "\(found.rooms) \(found.rooms == 1 ? "room ends" : "rooms end") with chats that are dated in the future, up to "
      + "\(WireDate.string(found.latest)), and later chats there are dated after them: this machine's clock is behind, or was ahead"
  }

  static let cure =
    "if the clock is right now, run 'madang admin chats redate' (docs/operate.md); else set the clock"
}

/// The oldest time that a server takes for right: this program is younger.
let earliestTime: Int64 = 1_735_689_600_000

/// Throws ``SetupError`` if the clock shows a time before this program was made: chats would be dated then, and certificates and tokens
/// would not be valid.
func refuseWrongClock(_ clock: Clock) throws {
  guard clock.now < earliestTime else { return }
  throw SetupError(
    "this machine's clock says \(WireDate.string(clock.now)), before this program was made\nset it ('timedatectl set-ntp true', or "
      + "'date'), and start again; a machine without a clock of its own needs the time from the network before")
}
