import Crypto
import Foundation
import JWTKit
import Logging
import MadangCore
import NIOHTTP1
import Synchronization

/// Apple Push Notification service, for devices with a token of its own. Another sender serves the others.
///
/// Source: https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns,
/// https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns and
/// https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns.
struct ApplePushService: PushSender {
  private struct Claims: JWTPayload {
    let iss: String
    let iat: IssuedAtClaim

    func verify(using key: some JWTAlgorithm) {}
  }

  struct Refusal: Decodable {
    let reason: String
    /// Of a 410: since when the device is unregistered, in milliseconds since 1970.
    let timestamp: Int64?
  }

  /// Apple accepts a token for an hour, and a new one at most every 20 minutes.
  private static let tokenLifetime: Duration = .seconds(50 * 60)
  private static let minTokenAge: Duration = .seconds(20 * 60)

  private let settings: ProviderSettings.ApplePush
  private let calls: ProviderCalls
  private let token: ExpiringToken
  private let lifetime: Int64
  private let others: (any PushSender)?
  private let logger: Logger
  private let standing = Standing()

  /// What Apple has answered since the server started.
  private final class Standing: Sendable {
    /// A notification was accepted: topic and environment fit some devices.
    let hasTaken = Atomic(false)
    let hasWarned = Atomic(false)
  }

  /// Throws ``SetupError`` if the key's file cannot be used.
  /// - Parameters:
  ///   - lifetime: Milliseconds after its chat's posting during which a notification is useful.
  ///   - others: The sender for devices without an APNs token; nil if there is none.
  init(
    _ settings: ProviderSettings.ApplePush, calls: ProviderCalls, lifetime: Int64, others: (any PushSender)?,
    logger: Logger
  ) async throws {
    (self.settings, self.calls, self.lifetime, self.others) = (settings, calls, lifetime, others)
    self.logger = logger
    let keys = JWTKeyCollection()
    let id = JWKIdentifier(string: settings.keyID)
    do {
      let pem = try String(contentsOf: URL(filePath: settings.keyFile), encoding: .utf8)
      await keys.add(ecdsa: try ES256PrivateKey(pem: pem), kid: id)
    } catch {
      throw SetupError(
        "push.apns.key: \(settings.keyFile) is not an APNs key; create one at developer.apple.com under Certificates, Identifiers & "
          + "Profiles, Keys, and name its .p8 file")
    }
    token = ExpiringToken {
      let claims = Claims(iss: settings.team, iat: .init(value: Date()))
      return .init(text: try await keys.sign(claims, kid: id), lifetime: Self.tokenLifetime)
    }
  }

  func send(_ notification: PushNotification, isTrial: Bool) async throws {
    guard notification.device.isApple else {
      guard let others else { throw PushFailure.refused(status: 0) }
      return try await others.send(notification, isTrial: isTrial)
    }
    let token = try await token.text
    let device = isTrial ? PushDevice.noAppleToken : notification.device.token
    let headers: HTTPHeaders = [
      "authorization": "bearer \(token)", "apns-topic": settings.topic, "apns-push-type": "alert",
      "apns-priority": "10", "apns-id": notification.appleID,
      "apns-expiration": "\((notification.postedAt + lifetime) / 1000)",
    ]
    let answer: ProviderCalls.Answer
    do {
      answer = try await calls.post("\(settings.url)/3/device/\(device)", headers: headers, notification.payload)
    } catch is ProviderCalls.Unanswered { throw PushFailure.unanswered }
    guard answer.status != 200 else { return standing.hasTaken.store(true, ordering: .relaxed) }
    let refusal = try? answer.decode(Refusal.self)
    let reason = refusal?.reason
    let isOutdated = refusal?.timestamp ?? .max < notification.device.registeredAt
    switch (answer.status, reason) {
    // Registered again since then: the answer is outdated.
    case (410, "Unregistered") where isOutdated, (410, "ExpiredToken") where isOutdated:
      throw PushFailure.refused(status: answer.status)
    // Only if the answer is Apple's own, because a proxy may answer 410, too.
    case (410, "Unregistered"), (410, "ExpiredToken"): throw PushFailure.unregistered(status: answer.status)
    // This is the answer for every device if topic or environment are wrong.
    case (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"):
      if isTrial || standing.hasTaken.load(ordering: .relaxed) { throw PushFailure.unregistered(status: answer.status) }
      warn(of: reason ?? "")
      throw PushFailure.refused(status: answer.status)
    case (403, "ExpiredProviderToken"):
      await self.token.forget(token, after: Self.minTokenAge)
      throw ProviderCalls.Unusable(status: answer.status)
    // This server's credentials or requests are wrong: no notification would be accepted.
    case (403...405, _), (400, "BadTopic"), (400, "MissingTopic"), (400, "TopicDisallowed"),
      (429, "TooManyProviderTokenUpdates"):
      throw ProviderCalls.Unusable(status: answer.status)
    case (502...504, _): throw PushFailure.overloaded(status: answer.status, pause: answer.pause)
    case (429, _), (500..., _): throw PushFailure.delayed(status: answer.status, pause: answer.pause)
    default: throw PushFailure.refused(status: answer.status)
    }
  }

  private func warn(of reason: String) {
    guard !standing.hasWarned.exchange(true, ordering: .relaxed) else { return }
    logger.warning(
      """
      APNs has accepted no device yet and refuses this one; the device is kept, because push.apns.topic or push.apns.url may be wrong. Apps that Xcode \
      installed need https://api.sandbox.push.apple.com
      """, metadata: ["reason": "\(reason)"])
  }
}

extension PushNotification {
  /// A UUID of the chat and the device: a repeated notification has the same one.
  var appleID: String {
    var hash = SHA256.hash(data: Data("\(chat) \(device.token)".utf8)).prefix(16).map(\.self)
    // Version 8, whose other bits are free (RFC 9562).
    hash[6] = hash[6] & 0x0F | 0x80
    hash[8] = hash[8] & 0x3F | 0x80
    let digits = hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
  }
}
