import Foundation
import JWTKit
import Logging
import MadangCore
import SocketIOSupport
import Support
import Synchronization
import Testing

@testable import MadangOperations
@testable import MadangProviders
@testable import MadangServer

@Suite("Push through Apple's own service", .timeLimit(.minutes(5)))
struct ApplePushTests {
  private static let device = String(repeating: "0aF9", count: 16)

  /// Runs `body` with settings for a provider at this URL, and the public key that its tokens are verified with.
  private static func withSettings(
    _ url: String, _ body: (ProviderSettings.ApplePush, ES256PrivateKey) async throws -> Void
  ) async throws {
    let key = ES256PrivateKey()
    let file = FileManager.default.temporaryDirectory.appending(path: "AuthKey-\(UUID().uuidString).p8")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(key.pemRepresentation.utf8).write(to: file)
    var settings = ProviderSettings.ApplePush()
    settings.url = url
    settings.keyFile = file.path
    (settings.keyID, settings.team, settings.topic) = ("KEY7654321", "TEAM654321", "com.example.chat")
    try await body(settings, key)
  }

  private struct Claims: JWTPayload {
    let iss: String
    let iat: IssuedAtClaim

    func verify(using key: some JWTAlgorithm) {}
  }

  @Test(
    "a push to Apple has the headers it asks for, and a repeated one the same id; other devices' tokens are not sent to Apple",
    arguments: TestEngine.available)
  func headers(_ engine: TestEngine) async throws {
    let calls = Mutex<[FakeProvider.Call]>([])
    try await FakeProvider.run { call in
      let isFirst = calls.withLock { calls in
        calls.append(call)
        return calls.count == 1
      }
      return isFirst ? (500, #"{"reason":"InternalServerError"}"#) : (200, "")
    } _: { provider in
      try await Self.withSettings(provider.url) { apple, key in
        var settings = World.settings
        settings.providers.applePush = apple
        settings.push.retryPause = .milliseconds(1)
        try await World.run(engine, settings: settings) { (world) async throws in
          let yard = try await world.courtyard()
          let room = try await yard.a.directMessage(with: yard.b, in: yard.w)
          try await PushTests.register(yard.b, "Optional(\"fcm:token\")")
          _ = try await yard.a.say("unheard", in: room)
          #expect(try await World.eventually { try await world.server.madang.waitingPushes() == 0 })
          try await PushTests.register(yard.b, Self.device)
          _ = try await yard.a.say("one", in: room)
          #expect(try await World.eventually { calls.withLock { $0.count } == 2 })
          _ = try await yard.a.say("two", in: room)
          #expect(try await World.eventually { calls.withLock { $0.count } == 3 })
        }
        let all = calls.withLock(\.self)
        #expect(all.allSatisfy { $0.method == "POST" && $0.path == "/3/device/\(Self.device)" })
        let bodies = try all.map { try JSON(Data($0.body.utf8))["aps"]?["alert"]?["body"] }
        #expect(bodies == ["one", "one", "two"])
        let ids = all.compactMap { $0.headers["apns-id"] }
        #expect(
          ids.count == 3 && ids[0] == ids[1] && ids[1] != ids[2] && ids.allSatisfy { UUID(uuidString: $0) != nil })
        let first = try #require(all.first).headers
        #expect(first["apns-topic"] == "com.example.chat" && first["apns-push-type"] == "alert")
        #expect(first["apns-priority"] == "10" && Int64(first["apns-expiration"] ?? "") ?? 0 > 3600)
        let token = try #require(first["authorization"])
        #expect(token.hasPrefix("bearer ") && all.allSatisfy { $0.authorization == token })
        let keys = JWTKeyCollection()
        await keys.add(ecdsa: key.publicKey, kid: "KEY7654321")
        let claims = try await keys.verify(String(token.dropFirst(7)), as: Claims.self)
        #expect(claims.iss == "TEAM654321" && abs(claims.iat.value.timeIntervalSinceNow) < 60)
      }
    }
  }

  private static var logger: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }

  private static func notification(_ token: String, registeredAt: Int64 = 0) -> PushNotification {
    PushNotification(
      device: PushDevice(token: token, edition: "e", person: 1, registeredAt: registeredAt), payload: Array("{}".utf8),
      chat: "c", postedAt: 0)
  }

  private static func outcome(
    _ sender: any PushSender, _ token: String, registeredAt: Int64 = 0, isTrial: Bool = false
  ) async -> String {
    do {
      try await sender.send(notification(token, registeredAt: registeredAt), isTrial: isTrial)
      return "taken"
    } catch PushFailure.refused { return "refused" } catch PushFailure.delayed { return "delayed" } catch PushFailure
      .unregistered
    { return "unregistered" } catch PushFailure.overloaded { return "overloaded" } catch PushFailure.unanswered {
      return "unanswered"
    } catch { return "away" }
  }

  @Test("Apple's refusals of one device are told apart from refusals of the server")
  func answers() async throws {
    let answer = Mutex((status: 0, reason: ""))
    let tokens = Mutex<Set<String?>>([])
    try await FakeProvider.run { call in
      tokens.withLock { _ = $0.insert(call.authorization) }
      return answer.withLock { ($0.status, #"{"reason":"\#($0.reason)","timestamp":1700000000000}"#) }
    } _: { provider in
      try await Self.withSettings(provider.url) { settings, _ in
        let apple = try await ApplePushService(
          settings, calls: ProviderCalls(timeout: .seconds(60)), lifetime: 1000, others: nil, logger: Self.logger)
        let cases = [
          (200, "", "taken"), (410, "Unregistered", "unregistered"), (410, "ExpiredToken", "unregistered"),
          (400, "BadDeviceToken", "unregistered"), (400, "DeviceTokenNotForTopic", "unregistered"),
          // Something on the way says so, and not Apple.
          (410, "", "refused"), (400, "PayloadEmpty", "refused"), (413, "PayloadTooLarge", "refused"),
          (429, "TooManyRequests", "delayed"), (500, "InternalServerError", "delayed"),
          (503, "ServiceUnavailable", "overloaded"), (503, "Shutdown", "overloaded"),
          (400, "BadTopic", "away"), (403, "InvalidProviderToken", "away"), (403, "ExpiredProviderToken", "away"),
          (429, "TooManyProviderTokenUpdates", "away"), (404, "BadPath", "away"),
        ]
        for (status, reason, expected) in cases {
          answer.withLock { $0 = (status, reason) }
          #expect(await Self.outcome(apple, Self.device) == expected, "\(status) \(reason)")
        }
        // The device was registered again after Apple had seen it gone.
        for (time, expected) in [(1_700_000_000_000, "unregistered"), (1_700_000_000_001, "refused")] {
          answer.withLock { $0 = (410, "Unregistered") }
          #expect(await Self.outcome(apple, Self.device, registeredAt: Int64(time)) == expected)
        }
        // Apple takes no new token before twenty minutes are over.
        #expect(tokens.withLock { $0.count } == 1)
      }
    }
  }

  @Test(
    "until Apple has accepted a push, a refused device is kept, and the log says once that settings may be wrong"
  )
  func wrongSettings() async throws {
    let answer = Mutex((status: 400, reason: "BadDeviceToken"))
    let lines = LogRecorder()
    try await FakeProvider.run { _ in
      answer.withLock { ($0.status, #"{"reason":"\#($0.reason)"}"#) }
    } _: { provider in
      try await Self.withSettings(provider.url) { settings, _ in
        let apple = try await ApplePushService(
          settings, calls: ProviderCalls(timeout: .seconds(60)), lifetime: 1000, others: nil, logger: lines.logger)
        for reason in ["BadDeviceToken", "DeviceTokenNotForTopic"] {
          answer.withLock { $0 = (400, reason) }
          #expect(await Self.outcome(apple, Self.device) == "refused")
        }
        #expect(lines.lines.filter { $0.contains("push.apns.topic") }.count == 1)
        // The device does not exist, with any settings.
        answer.withLock { $0 = (410, "Unregistered") }
        #expect(await Self.outcome(apple, Self.device) == "unregistered")
        answer.withLock { $0 = (200, "") }
        #expect(await Self.outcome(apple, Self.device) == "taken")
        answer.withLock { $0 = (400, "BadDeviceToken") }
        #expect(await Self.outcome(apple, Self.device) == "unregistered")
      }
    }
  }

  @Test("a refused provider token is renewed once it is old enough")
  func renewal() async throws {
    let made = Atomic(0)
    let token = ExpiringToken {
      .init(text: "\(made.add(1, ordering: .relaxed).newValue)", lifetime: .seconds(3600))
    }
    #expect(try await token.text == "1")
    await token.forget("1", after: .seconds(1200))
    #expect(try await token.text == "1")
    await token.forget("1")
    #expect(try await token.text == "2")
  }

  @Test("with both services each device is reached by its own, and a trial reaches none")
  func both() async throws {
    let paths = Mutex<[String]>([])
    try await FakeProvider.run { call in
      paths.withLock { $0.append(call.path) }
      return (200, "")
    } _: { provider in
      try await Self.withSettings(provider.url) { settings, _ in
        let firebase = FaultySender({ _, _ in nil })
        let apple = try await ApplePushService(
          settings, calls: ProviderCalls(timeout: .seconds(60)), lifetime: 1000, others: firebase, logger: Self.logger)
        for token in [
          Self.device, "short0aF9", "\(Self.device)0", "\(Self.device.dropLast())g", "c:APA91b\(Self.device)",
        ] {
          // The other sender reads a body, but these have none.
          _ = await Self.outcome(apple, token)
        }
        #expect(firebase.taken.count == 4 && firebase.tries(Self.device) == 0)
        _ = await Self.outcome(apple, Self.device, isTrial: true)
        _ = await Self.outcome(apple, "fcm", isTrial: true)
        #expect(firebase.trials == 1)
        let none = String(repeating: "0", count: 64)
        #expect(paths.withLock(\.self) == ["/3/device/\(Self.device)", "/3/device/\(none)"])
        #expect(PushNotification.trial(like: Self.notification(Self.device)).device.isApple)
        #expect(!PushNotification.trial(like: Self.notification("fcm")).device.isApple)
      }
    }
  }

  @Test("an answer of one push service does not end the outage of the other")
  func outages() {
    let outage = PushOutage(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    _ = outage.begins(with: Self.notification(Self.device), PushFailure.unanswered)
    outage.ends(by: Self.notification("fcm"))
    #expect(outage.isNow)
    outage.ends(by: Self.notification(Self.device.lowercased()))
    #expect(!outage.isNow)
  }

  @Test("unusable files and settings of APNs stop the start, with a cure")
  func mistakes() async throws {
    var settings = World.settings
    settings.providers.applePush.keyFile = "/nonexistent.p8"
    #expect(settings.problems().contains { $0.hasPrefix("push.apns:") })
    settings.providers.applePush.topic = "t"
    (settings.providers.applePush.keyID, settings.providers.applePush.team) = ("KEY76543210", "TEAM-54321")
    for key in ["push.apns.kid", "push.apns.team"] {
      #expect(settings.problems().contains { $0.hasPrefix(key) && $0.contains("10 letters and digits") })
    }
    try await Self.withSettings("https://api.push.apple.com") { apple, _ in
      for (key, authority, expected) in [
        ("/nonexistent.p8", "", "push.apns.key"), (apple.keyFile, apple.keyFile, "providers.ca"),
      ] {
        settings.providers.applePush = apple
        settings.providers.applePush.keyFile = key
        settings.providers.authorityFile = authority
        #expect(settings.problems() == [])
        do {
          try await World.run(.sqlite, settings: settings) { _ in }
          Issue.record("the server started")
        } catch let error as SetupError { #expect(error.description.contains(expected)) }
      }
    }
  }

  @Test("a notification fits into 4096 bytes whatever its text and names are")
  func sizes() async throws {
    let sizes = Mutex<[Int]>([])
    try await FakeProvider.run { call in
      sizes.withLock { $0.append(call.body.utf8.count) }
      return (200, "")
    } _: { provider in
      try await Self.withSettings(provider.url) { apple, _ in
        var settings = World.settings
        settings.providers.applePush = apple
        try await World.run(.sqlite, settings: settings) { (world) async throws in
          let long = String(repeating: "👨‍👩‍👧‍👦", count: 30)
          let (mina, joon) = (try await world.signUp("Mina"), try await world.signUp("Joon"))
          _ = try await mina.put("users/me", ["nickname": .text(long)])
          let workspace = try await mina.workspace(long)
          let channel = try await mina.channel(long, in: workspace)
          try await mina.invite(joon, to: workspace)
          try await PushTests.register(joon, Self.device)
          _ = try await joon.get("\(channel)/chats")
          for character in ["\"", "👨‍👩‍👧‍👦", "\n", "a"] {
            _ = try await mina.say("b" + String(repeating: character, count: 2100), in: channel)
          }
          #expect(try await World.eventually { sizes.withLock { $0.count } == 4 })
        }
        #expect(sizes.withLock { $0.allSatisfy { (3300...4096).contains($0) } }, "\(sizes.withLock(\.self))")
      }
    }
  }
}
