import Logging
import MadangCore
import ServiceLifecycle
import Synchronization

/// Tells devices of new chats, after their commit and beside everything else: a post never waits for it.
///
/// Chats wait in the database, so that none is forgotten when a server stops; each is told by the server that has claimed
/// it. A device may be told twice if a server stops or loses its database while it tells a room. While the provider
/// cannot be reached, chats wait for it.
struct PushQueue: ServiceLifecycle.Service {
  private let madang: Madang
  /// Nil where notifications are off.
  private let sending: PushSending?
  private let settings: PushSettings
  private let editions: [Edition]
  private let metrics: Metrics
  private let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation

  /// Chats claimed at a time.
  private static let page = 64
  /// No more chats are claimed while so many rooms are being told: one whose devices are many, or slow to answer, does not
  /// hold up the others.
  private static let parallelRooms = 16
  /// The longest pause between tries: less than half of a claim, so that it is renewed in time.
  private static let longestPause: Duration = .seconds(20)
  /// How often chats are looked for that another server has left.
  private static let interval: Duration = .seconds(5)

  /// - Parameter sender: Nil where notifications are off.
  init(madang: Madang, sender: (any PushSender)?, settings: PushSettings, editions: [Edition], metrics: Metrics) {
    self.madang = madang
    sending = sender.map { PushSending($0, settings, metrics, madang.logger) }
    self.settings = settings
    self.editions = editions
    self.metrics = metrics
    (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// A chat was committed. Returns at once.
  func chatPosted() { wake.yield() }

  func run() async throws {
    guard let sending else { return try await gracefulShutdown() }
    await withDiscardingTaskGroup { group in
      group.addTask { [wake] in await every(Self.interval) { wake.yield() } }
      for await _ in wakes.cancelOnGracefulShutdown() {
        await attempt {
          while let claimed = try await claim(besides: sending) {
            // One after the other in each room, as they were said.
            for (room, pushes) in Dictionary(grouping: claimed, by: { $0.chat.room.id.number }) {
              sending.rooms.begin(room)
              group.addTask {
                await tell(pushes, sending)
                sending.rooms.end(room)
                wake.yield()
              }
            }
          }
          metrics.setPushesWaiting(try await madang.waitingPushes())
        }
      }
    }
  }

  private func attempt(_ body: () async throws -> Void) async {
    do { try await body() } catch is CancellationError {} catch {
      madang.logger.warning("chats could not be pushed", metadata: ["error": "\(String(reflecting: error))"])
    }
  }

  /// Chats of rooms that are not being told; nil if there are none, or enough is being told. In an outage the rooms that
  /// are being told find out when it ends.
  private func claim(besides sending: PushSending) async throws -> [ClaimedPush]? {
    let (rooms, isOutage) = (sending.rooms, sending.outage.isNow)
    guard !Task.isShuttingDownGracefully, rooms.busy < Self.parallelRooms, !isOutage || rooms.all.isEmpty else {
      return nil
    }
    let claimed = try await madang.claimPushes(limit: Self.page, notIn: rooms.all)
    return claimed.isEmpty ? nil : claimed
  }

  /// Tells of a room's chats until the server stops.
  private func tell(_ pushes: [ClaimedPush], _ sending: PushSending) async {
    await attempt {
      for push in pushes where !Task.isShuttingDownGracefully {
        // Those that others have by now are theirs.
        guard let push = try await renewed(push), let told = try await tell(push, sending) else { continue }
        try await madang.finish([told])
      }
    }
  }

  /// The push, claimed for long enough to go on; nil if another server has it.
  private func renewed(_ push: ClaimedPush) async throws -> ClaimedPush? {
    guard madang.clock.steady - push.since > Madang.pushClaim / 2 else { return push }
    return try await madang.renewPush(push)
  }

  /// The push as it is claimed now; nil if it is not told to all yet and another server goes on with it.
  private func tell(_ push: ClaimedPush, _ sending: PushSending) async throws -> ClaimedPush? {
    var (push, chat) = (push, push.chat)
    var devices = try await madang.pushDevices(for: chat, after: nil)
    guard !devices.isEmpty, let place = try await madang.pushPlace(of: chat) else { return push }
    var payloads: [String: [UInt8]] = [:]
    for edition in editions {
      payloads[edition.name] = try PushPayload.json(chat, in: place, noText: settings.noText, id: edition.text)
    }
    while let last = devices.last {
      // At most as many under way as the provider is to be bothered with.
      for start in stride(from: 0, to: devices.count, by: settings.parallelSends) {
        var waiting = devices[start..<min(start + settings.parallelSends, devices.count)].compactMap { device in
          payloads[device.edition].map {
            PushNotification(deviceToken: device.token, edition: device.edition, payload: $0)
          }
        }
        var pause = settings.retryPause
        while !waiting.isEmpty {
          guard chat.createdAt > madang.clock.now - settings.lifetime else {
            metrics.pushDropped()
            return push
          }
          guard let renewed = try await renewed(push) else { return nil }
          push = renewed
          waiting = await sending.send(waiting)
          guard !waiting.isEmpty else { break }
          guard await pauses(pause, sending.rooms) else { return nil }
          pause = min(pause * 2, Self.longestPause)
        }
      }
      // A last look would find the sessions begun meanwhile, and tell their devices twice.
      guard devices.count == madang.settings.pushPage else { break }
      devices = try await madang.pushDevices(for: chat, after: last)
    }
    return push
  }

  /// Waits before the provider is tried again. False if the server stops first.
  private func pauses(_ duration: Duration, _ rooms: PushRooms) async -> Bool {
    rooms.pause()
    defer { rooms.resume() }
    wake.yield()
    do {
      try await cancelWhenGracefulShutdown { try await Task.sleep(for: duration) }
      return true
    } catch { return false }
  }
}
