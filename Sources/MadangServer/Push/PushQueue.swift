import Logging
import MadangCore
import ServiceLifecycle
import Synchronization

/// Tells devices of new chats, after their commit and beside everything else: a post never waits for it.
///
/// Chats wait in a bounded queue; when it is full, further ones are told to nobody, which is logged and counted.
struct PushQueue: ServiceLifecycle.Service {
  private let madang: Madang
  private let sender: (any PushSender)?
  private let settings: PushSettings
  private let editions: [Edition]
  private let metrics: Metrics
  private let chats: AsyncStream<Chat>
  private let queue: AsyncStream<Chat>.Continuation

  /// - Parameter sender: Nil where notifications are off.
  init(madang: Madang, sender: (any PushSender)?, settings: PushSettings, editions: [Edition], metrics: Metrics) {
    self.madang = madang
    self.sender = sender
    self.settings = settings
    self.editions = editions
    self.metrics = metrics
    (chats, queue) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(settings.queueLimit))
  }

  /// Returns at once.
  func add(_ chat: Chat) {
    guard sender != nil else { return }
    switch queue.yield(chat) {
    case .enqueued: metrics.pushQueued()
    case .dropped:
      metrics.pushDropped()
      madang.logger.warning("the push queue is full: nobody is told of a chat")
    case .terminated: break
    @unknown default: break
    }
  }

  func run() async throws {
    guard let sender else { return try await gracefulShutdown() }
    for await chat in chats.cancelOnGracefulShutdown() {
      metrics.pushTaken()
      do { try await tell(chat, sender) } catch is CancellationError {
        return
      } catch {
        madang.logger.warning("a chat could not be pushed", metadata: ["error": "\(String(reflecting: error))"])
      }
    }
  }

  private func tell(_ chat: Chat, _ sender: any PushSender) async throws {
    var devices = try await madang.pushDevices(for: chat, after: nil)
    guard !devices.isEmpty, let place = try await madang.pushPlace(of: chat) else { return }
    var payloads: [String: [UInt8]] = [:]
    for edition in editions {
      payloads[edition.name] = try PushPayload.json(chat, in: place, noText: settings.noText, id: edition.text)
    }
    while let last = devices.last {
      await withTaskGroup(of: Void.self) { group in
        for (index, device) in devices.enumerated() {
          guard let payload = payloads[device.edition] else { continue }
          // At most as many under way as the provider is to be bothered with.
          if index >= settings.parallelSends { await group.next() }
          group.addTask {
            await send(PushNotification(deviceToken: device.token, edition: device.edition, payload: payload), sender)
          }
        }
      }
      // A last look would find the sessions begun meanwhile, and tell their devices twice.
      guard devices.count == madang.settings.pushPage else { return }
      devices = try await madang.pushDevices(for: chat, after: last)
    }
  }

  private func send(_ notification: PushNotification, _ sender: any PushSender) async {
    do {
      try await sender.send(notification)
      metrics.pushSent()
    } catch {
      metrics.pushFailed()
      madang.logger.debug("a notification was not taken", metadata: ["error": "\(error)"])
    }
  }
}

/// How notifications are sent.
public struct PushSettings: Sendable {
  /// Chats that may wait to be told; beyond it they are told to nobody.
  public var queueLimit = 10_000
  /// Notifications on their way at once.
  public var parallelSends = 16
  /// What a notification of a chat without text says.
  public var noText = "사진"

  public init() {}
}
