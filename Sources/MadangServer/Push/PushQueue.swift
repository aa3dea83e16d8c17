import Logging
import MadangCore
import MadangOperations
import ServiceLifecycle
import Synchronization

/// Pushes new chats to devices after their commit, in the background: a post never waits for it.
///
/// Chats wait in the database, so that a stopping server loses none. The server that has claimed a chat pushes it. A room's
/// chats are pushed one at a time, oldest first, and rooms take turns. A device may get a push twice if a server stops or
/// loses its database while it pushes. While the provider is unreachable, chats wait.
struct PushQueue: ServiceLifecycle.Service {
  private let madang: Madang
  /// Nil if notifications are off.
  private let sending: PushSending?
  private let settings: PushSettings
  private let editions: [Edition]
  private let metrics: Metrics
  private let wakes = Wakes()

  /// The number of chats that are being pushed.
  private final class Telling: Sendable {
    let count = Atomic(0)
  }

  /// Chats that are pushed at the same time, so that a room with many devices does not delay the others.
  private static let parallelRooms = 16
  /// How often to look for chats that another server has left.
  private static let interval: Duration = .seconds(5)

  /// - Parameter sender: Nil if notifications are off.
  init(madang: Madang, sender: (any PushSender)?, settings: PushSettings, editions: [Edition], metrics: Metrics) {
    self.madang = madang
    sending = sender.map { [wakes] in PushSending($0, settings, metrics, madang.logger) { wakes.wake() } }
    self.settings = settings
    self.editions = editions
    self.metrics = metrics
  }

  /// A chat with devices to notify was committed. Returns at once.
  func pushQueued() { wakes.wake() }

  func run() async throws {
    guard let sending else { return try await gracefulShutdown() }
    let retries = PushRetries(madang: madang, sending: sending, settings: settings)
    let teller = PushTeller(
      madang: madang, sending: sending, retries: retries, settings: settings, editions: editions, metrics: metrics)
    let telling = Telling()
    await withDiscardingTaskGroup { group in
      group.addTask {
        await every(Self.interval, by: madang.clock) {
          wakes.wake()
          await attempt {
            metrics.pushDropped(try await madang.dropPushes(postedBy: madang.clock.now - settings.lifetime))
            metrics.setPushesWaiting(try await madang.waitingPushes())
          }
        }
      }
      var room: Int64 = -1
      await wakes.run {
        for token in sending.putOff.takeNew() { group.addTask { await retries.sendPutOff(to: token) } }
        if let notification = sending.outage.startTrying() {
          group.addTask {
            await retries.endOutage(with: notification)
            wakes.wake()
          }
        }
        await attempt {
          while !Task.isShuttingDownGracefully {
            let busy = telling.count.load(ordering: .relaxed)
            // During an outage here, another server may reach the provider.
            let limit = sending.outage.isNow ? 0 : Self.parallelRooms - busy
            guard limit > 0 else { break }
            let claimed = try await madang.claimPushes(limit: limit, after: room)
            guard let last = claimed.last else { break }
            room = last.room
            for push in claimed {
              telling.count.add(1, ordering: .relaxed)
              group.addTask {
                await attempt { try await teller.tell(push) }
                telling.count.subtract(1, ordering: .relaxed)
                wakes.wake()
              }
            }
          }
        }
      }
    }
  }

  private func attempt(_ body: () async throws -> Void) async {
    do { try await body() } catch is CancellationError {} catch {
      madang.logger.warning("chats could not be pushed", metadata: ["error": "\(String(reflecting: error))"])
    }
  }
}
