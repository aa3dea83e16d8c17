import Logging
import MadangCore
import ServiceLifecycle
import Synchronization

/// Tells devices of new chats, after their commit and beside everything else: a post never waits for it.
///
/// Chats wait in the database, so that none is forgotten when a server stops; each is told by the server that has claimed
/// it. A device may be told twice if a server stops or loses its database while it tells a page of chats. While the provider
/// cannot be reached, chats wait for it.
struct PushQueue: ServiceLifecycle.Service {
  private let madang: Madang
  private let sender: (any PushSender)?
  private let settings: PushSettings
  private let editions: [Edition]
  private let metrics: Metrics
  private let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation
  /// What may be on its way to the provider at once.
  private let places: Places
  private let outage: PushOutage

  /// Chats claimed at a time.
  private static let page = 64
  /// Rooms told at a time: one whose devices are many, or slow to answer, does not hold up the others.
  private static let parallelRooms = 16
  /// How often the provider may answer that it takes a notification later.
  private static let maxDelays = 10
  /// The longest pause between tries, in seconds: less than half of a claim, so that it is renewed in time.
  private static let longestPause: Duration = .seconds(20)
  /// How often chats are looked for that another server has left.
  private static let interval: Duration = .seconds(5)

  /// - Parameter sender: Nil where notifications are off.
  init(madang: Madang, sender: (any PushSender)?, settings: PushSettings, editions: [Edition], metrics: Metrics) {
    self.madang = madang
    self.sender = sender
    self.settings = settings
    self.editions = editions
    self.metrics = metrics
    places = Places(settings.parallelSends)
    outage = PushOutage(madang.logger)
    (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// A chat was committed. Returns at once.
  func chatPosted() { wake.yield() }

  func run() async throws {
    guard let sender else { return try await gracefulShutdown() }
    await withTaskGroup { group in
      group.addTask { [wake] in await every(Self.interval) { wake.yield() } }
      for await _ in wakes.cancelOnGracefulShutdown() {
        do { try await tellAll(sender) } catch is CancellationError {
          break
        } catch {
          madang.logger.warning("chats could not be pushed", metadata: ["error": "\(String(reflecting: error))"])
        }
      }
      group.cancelAll()
    }
  }

  /// Tells what waits until nothing does, or the server stops: the rest keeps.
  private func tellAll(_ sender: any PushSender) async throws {
    while !Task.isShuttingDownGracefully {
      let claimed = try await madang.claimPushes(limit: Self.page)
      guard !claimed.isEmpty else { break }
      // One after the other in each room, as they were said.
      let rooms = Dictionary(grouping: claimed) { $0.chat.room.id.number }.values
      let finished = try await withThrowingTaskGroup(of: [ClaimedPush].self) { group in
        var (finished, waiting) = ([ClaimedPush](), rooms.makeIterator())
        for _ in 0..<Self.parallelRooms {
          if let pushes = waiting.next() { group.addTask { try await tell(pushes, sender) } }
        }
        while let told = try await group.next() {
          finished += told
          if let pushes = waiting.next() { group.addTask { try await tell(pushes, sender) } }
        }
        return finished
      }
      try await madang.finish(finished)
    }
    metrics.setPushesWaiting(try await madang.waitingPushes())
  }

  /// Tells of chats until the server stops. Those that were told, or that waited for too long, as they are claimed now.
  private func tell(_ pushes: [ClaimedPush], _ sender: any PushSender) async throws -> [ClaimedPush] {
    var finished: [ClaimedPush] = []
    for push in pushes where !Task.isShuttingDownGracefully {
      // Those that others have by now are theirs.
      guard let push = try await renewed(push), let told = try await tell(push, sender) else { continue }
      finished.append(told)
    }
    return finished
  }

  /// The push, claimed for long enough to go on; nil if another server has it.
  private func renewed(_ push: ClaimedPush) async throws -> ClaimedPush? {
    guard madang.clock.steady - push.since > Madang.pushClaim / 2 else { return push }
    return try await madang.renewPush(push)
  }

  /// The push as it is claimed now; nil if it is not told to all yet and another server goes on with it.
  private func tell(_ push: ClaimedPush, _ sender: any PushSender) async throws -> ClaimedPush? {
    guard !isTooLate(push) else { return push }
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
        while !waiting.isEmpty, !isTooLate(push) {
          guard let renewed = try await renewed(push) else { return nil }
          push = renewed
          waiting = await send(waiting, sender)
          guard !waiting.isEmpty else { break }
          guard await pauses(pause) else { return nil }
          pause = min(pause * 2, Self.longestPause)
        }
      }
      // A last look would find the sessions begun meanwhile, and tell their devices twice.
      guard devices.count == madang.settings.pushPage else { break }
      devices = try await madang.pushDevices(for: chat, after: last)
    }
    return push
  }

  /// Whether the chat has waited for so long that it is told to nobody any more.
  private func isTooLate(_ push: ClaimedPush) -> Bool {
    guard push.chat.createdAt <= madang.clock.now - settings.lifetime else { return false }
    metrics.pushDropped()
    return true
  }

  /// Waits before the provider is tried again. False if the server stops first.
  private func pauses(_ duration: Duration) async -> Bool {
    do {
      try await cancelWhenGracefulShutdown { try await Task.sleep(for: duration) }
      return true
    } catch { return false }
  }

  /// Sends notifications; answers those that are to be sent again.
  private func send(_ notifications: [PushNotification], _ sender: any PushSender) async -> [PushNotification] {
    await withTaskGroup(of: PushNotification?.self) { group in
      for notification in notifications {
        group.addTask {
          await places.enter()
          defer { places.leave() }
          return await send(notification, sender)
        }
      }
      return await group.reduce(into: []) { waiting, notification in
        if let notification { waiting.append(notification) }
      }
    }
  }

  /// Answers the notification if it is to be sent again.
  private func send(_ notification: PushNotification, _ sender: any PushSender) async -> PushNotification? {
    do {
      try await sender.send(notification)
      metrics.pushSent()
      outage.ends()
      return nil
    } catch PushFailure.refused(let status) {
      return given(up: notification, status)
    } catch PushFailure.delayed(let status) {
      var notification = notification
      notification.delays += 1
      return notification.delays < Self.maxDelays ? notification : given(up: notification, status)
    } catch {
      outage.begins(error)
      return notification
    }
  }

  private func given(up notification: PushNotification, _ status: Int) -> PushNotification? {
    metrics.pushFailed()
    madang.logger.debug("a notification was not taken", metadata: ["status": "\(status)"])
    return nil
  }
}

/// How notifications are sent.
public struct PushSettings: Sendable {
  /// Milliseconds after which a chat that could not be told is told to nobody any more.
  public var lifetime: Int64 = 3_600_000
  /// The pause before a notification is sent again that was not taken. It doubles, up to 20 seconds.
  public var retryPause: Duration = .seconds(1)
  /// Notifications on their way at once.
  public var parallelSends = 16
  /// What a notification of a chat without text says.
  public var noText = "사진"

  public init() {}
}
