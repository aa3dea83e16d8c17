import MadangAPI
import MadangCore
import MadangServer
import Storage
import Support
import Synchronization
import Testing

@testable import MadangOperations
@testable import MadangServer

/// Answers each notification with the given result for its number; nil accepts it.
final class FaultySender: PushSender {
  private struct State {
    var tries: [String: Int] = [:]
    var trials: [String] = []
    var taken: [(device: String, body: String)] = []
  }

  private let fault: @Sendable (_ device: String, _ number: Int) async -> (any Error)?
  private let trialFault: @Sendable () -> (any Error)?
  private let state = Mutex(State())

  init(
    _ fault: @escaping @Sendable (_ device: String, _ number: Int) async -> (any Error)?,
    onTrial: @escaping @Sendable () -> (any Error)? = { nil }
  ) {
    self.fault = fault
    trialFault = onTrial
  }

  var taken: [String] { state.withLock { $0.taken.map(\.device) } }
  var trials: Int { state.withLock(\.trials.count) }
  var trialPayloads: [String] { state.withLock(\.trials) }
  func tries(_ device: String) -> Int { state.withLock { $0.tries[device] ?? 0 } }
  /// The notifications of a device, in order.
  func told(_ device: String) -> [String] {
    state.withLock { $0.taken.filter { $0.device == device }.map(\.body) }
  }

  func send(_ notification: PushNotification, isTrial: Bool) async throws {
    guard !isTrial else {
      state.withLock { $0.trials.append(String(decoding: notification.payload, as: UTF8.self)) }
      if let error = trialFault() { throw error }
      return
    }
    let device = notification.device.token
    let number = state.withLock { state in
      state.tries[device, default: 0] += 1
      return state.tries[device] ?? 0
    }
    if let error = await fault(device, number) { throw error }
    let body = try JSON(notification.payload)["aps"]?["alert"]?["body"]?.string ?? ""
    state.withLock { $0.taken.append((device, body.split(separator: " ").last.map(String.init) ?? "")) }
  }
}

/// Queues of chats to be pushed, and what they need.
enum PushScene {
  /// Chats for two devices, "fails" and "works", and later ones elsewhere for the second, while the queue runs with
  /// this sender.
  static func withChat(
    _ engine: TestEngine, _ sender: FaultySender, _ push: PushSettings = quick, chats: Int = 1, chatsElsewhere: Int = 0,
    _ body: @Sendable @escaping (World) async throws -> Void
  ) async throws {
    try await withoutQueue(engine) { (world) async throws in
      let (mina, joon, sora) = (
        try await world.signUp("Mina"), try await world.signUp("Joon"), try await world.signUp("Sora")
      )
      let workspace = try await mina.workspace()
      let channel = try await mina.channel("ios", in: workspace)
      for (person, device) in [(joon, "fails"), (sora, "works")] {
        try await mina.invite(person, to: workspace)
        try await PushTests.register(person, device)
        _ = try await person.get("\(channel)/chats")
      }
      for number in 0..<chats { _ = try await mina.say("\(number)", in: channel) }
      let elsewhere = try await mina.channel("elsewhere", in: workspace)
      _ = try await sora.get("\(elsewhere)/chats")
      for number in 0..<chatsElsewhere { _ = try await mina.say("\(number)", in: elsewhere) }
      try await pushAll(world)
      try await running(world, sender, push) { try await body(world) }
    }
  }

  static var quick: PushSettings {
    var push = PushSettings()
    push.retryPause = .milliseconds(1)
    return push
  }

  /// A world without a sender of notifications.
  static func withoutQueue(
    _ engine: TestEngine, _ body: @Sendable @escaping (World) async throws -> Void
  ) async throws {
    var settings = World.settings
    settings.isDevelopment = false
    settings.keys = [DevelopmentKey.october2024: .october2024]
    try await World.run(engine, settings: settings, body)
  }

  /// All chats wait to be pushed.
  static func pushAll(_ world: World) async throws {
    _ = try await world.server.madang.database.write { transaction in
      try transaction.execute(
        "INSERT INTO push_outbox (chat_id, claimed_until, room_id) SELECT id, 0, room_id FROM chats")
    }
  }

  static func running(
    _ world: World, _ sender: any PushSender, _ push: PushSettings, _ body: () async throws -> Void
  ) async throws {
    let queue = PushQueue(
      madang: world.server.madang, sender: sender, settings: push,
      editions: [Edition(.october2024, offset: 0)], metrics: Metrics())
    let running = Task { try await queue.run() }
    try await body()
    running.cancel()
    _ = await running.result
  }

  static func isEmpty(_ world: World) async throws -> Bool {
    try await World.eventually { try await world.server.madang.waitingPushes() == 0 }
  }
}
