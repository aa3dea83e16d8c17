import MadangCore
import MadangOperations
import ServiceLifecycle
import Storage

/// Pushes one chat to the devices of its room.
struct PushTeller: Sendable {
  let madang: Madang
  let sending: PushSending
  let retries: PushRetries
  let settings: PushSettings
  let editions: [Edition]
  let metrics: Metrics

  /// The greatest age of a claim when a notification is sent, in milliseconds. The claim then still holds when the answer
  /// arrives: see ``PushSender/send(_:isTrial:)``.
  private static let maxClaimAge = Madang.pushClaim / 12

  /// Another server continues with the chat.
  private struct Lost: Error {}

  /// Pushes a claimed chat, and finishes it unless another server has claimed it or this one stops.
  func tell(_ push: ClaimedPush) async throws {
    do {
      guard let chat = push.chat, isInTime(chat), let place = try await madang.pushPlace(of: chat) else {
        return try await madang.finish(push)
      }
      try await madang.finish(try await told(push, chat, place))
    } catch is Lost {}
  }

  /// Pushes a chat to all devices and returns its current claim.
  private func told(_ push: ClaimedPush, _ chat: Chat, _ place: PushPlace) async throws -> ClaimedPush {
    var payloads: [String: [UInt8]] = [:]
    for edition in editions {
      payloads[edition.name] = try PushPayload.json(chat, in: place, noText: settings.noText, id: edition.text)
    }
    var (push, next) = (push, Int64?(0))
    /// When the present outage of the provider was first noticed.
    var outageFound: Int64?
    while let person = next {
      let page = try await madang.pushDevices(for: chat, after: person)
      var waiting = page.devices.compactMap { device in
        payloads[device.edition].map {
          PushNotification(device: device, payload: $0, chat: chat.id.uuid, postedAt: chat.createdAt)
        }
      }
      let all = waiting.count
      while !waiting.isEmpty {
        guard isInTime(chat) else { return push }
        push = try await held(push)
        if sending.outage.isNow {
          let found = outageFound ?? madang.clock.steady
          outageFound = found
          let isUntold = person == 0 && waiting.count == all && waiting.allSatisfy { $0.delays == 0 }
          if isUntold || isForOthers(sinceOutageFound: found) {
            try await madang.release(push)
            throw Lost()
          }
        } else {
          outageFound = nil
          waiting = try await send(waiting, of: &push)
        }
        // Refused notifications are not repeated at once.
        if !waiting.isEmpty, await !retries.pauses(settings.retryPause) { throw Lost() }
      }
      next = page.next
    }
    return push
  }

  /// Whether to release a partly pushed chat because the outage has lasted as long as a claim. Another server may reach the
  /// provider; it pushes the chat from the beginning, so some devices get it twice.
  private func isForOthers(sinceOutageFound found: Int64) -> Bool {
    madang.database.dialect == .postgres && madang.clock.steady - found >= Madang.pushClaim
  }

  /// Whether the chat is recent enough to be pushed. Counts it as dropped if not.
  private func isInTime(_ chat: Chat) -> Bool {
    let isFresh = retries.isFresh(chat.createdAt)
    if !isFresh { metrics.pushDropped() }
    return isFresh
  }

  /// Sends to all devices whose provider accepts notifications now. Returns the notifications to send after the outage.
  private func send(_ notifications: [PushNotification], of push: inout ClaimedPush) async throws -> [PushNotification]
  {
    var waiting: [PushNotification] = []
    var unregistered: [PushDevice] = []
    var problem: (any Error)?
    await withTaskGroup(of: (PushDevice, PushSending.Outcome).self) { group in
      for (index, notification) in notifications.enumerated() {
        guard !sending.putOff.isWaiting(notification.device.token) else {
          sending.keep(notification)
          continue
        }
        await sending.slots.wait()
        // The wait for a slot may have been long.
        do { push = try await held(push) } catch { problem = error }
        guard problem == nil, !sending.outage.isNow else {
          sending.slots.signal()
          waiting += notifications[index...]
          break
        }
        group.addTask {
          defer { sending.slots.signal() }
          return (notification.device, await sending.send(notification))
        }
      }
      for await (device, outcome) in group {
        switch outcome {
        case .settled: break
        case .unregistered: unregistered.append(device)
        case .putOff(let notification): sending.keep(notification)
        case .held(let notification): waiting.append(notification)
        }
      }
    }
    await retries.forget(unregistered)
    if let problem { throw problem }
    return waiting
  }

  /// The push, with a claim that is recent enough for sending.
  private func held(_ push: ClaimedPush) async throws -> ClaimedPush {
    var push = push
    while madang.clock.steady - push.since > Self.maxClaimAge {
      guard let renewed = try await madang.renewPush(push) else { throw Lost() }
      push = renewed
    }
    return push
  }
}
