import Foundation
import JWTKit
import MadangCore
import NIOHTTP1

/// Firebase Cloud Messaging, HTTP v1: sends notifications to Apple's service with the service account's rights.
///
/// Source: https://firebase.google.com/docs/cloud-messaging/send-message, and
/// https://developers.google.com/identity/protocols/oauth2/service-account for the access token. What its errors mean:
/// https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode.
struct FirebaseMessaging: PushSender {
  /// The fields of the service account's file.
  private struct Account: Decodable {
    let projectId: String
    let clientEmail: String
    let privateKey: String
    let tokenUri: String
  }

  private struct Grant: JWTPayload {
    let iss: String
    var scope = "https://www.googleapis.com/auth/firebase.messaging"
    let aud: String
    let iat: IssuedAtClaim
    let exp: ExpirationClaim

    func verify(using key: some JWTAlgorithm) {}
  }

  struct Token: Decodable {
    let accessToken: String
    let expiresIn: Int

    var expiring: ExpiringToken.Token { .init(text: accessToken, lifetime: .seconds(expiresIn)) }
  }

  struct Refusal: Decodable {
    struct Reason: Decodable { let details: [Detail]? }
    struct Detail: Decodable {
      let errorCode: String?
      let fieldViolations: [Violation]?
    }
    struct Violation: Decodable { let field: String? }

    let error: Reason

    var code: String? { error.details?.lazy.compactMap(\.errorCode).first }
    /// Whether the token is invalid or no longer registered.
    var concernsToken: Bool {
      code == "UNREGISTERED"
        || error.details?.contains { $0.fieldViolations?.contains { $0.field == "message.token" } ?? false } ?? false
    }
  }

  private let url: String
  private let calls: ProviderCalls
  private let token: ExpiringToken

  /// Throws ``SetupError`` if the account file cannot be used.
  init(_ settings: ProviderSettings.Firebase, calls: ProviderCalls) async throws {
    self.calls = calls
    let account: Account
    let keys = JWTKeyCollection()
    do {
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      account = try decoder.decode(Account.self, from: try Data(contentsOf: URL(filePath: settings.accountFile)))
      await keys.add(rsa: try Insecure.RSA.PrivateKey(pem: account.privateKey), digestAlgorithm: .sha256)
    } catch {
      throw SetupError(
        "push.firebase.account: \(settings.accountFile) is not a service account's JSON file; create one in the Firebase "
          + "console under project settings, service accounts")
    }
    url = "\(settings.url)/v1/projects/\(account.projectId.percentEncoded())/messages:send"
    token = ExpiringToken {
      let now = Date()
      let grant = Grant(
        iss: account.clientEmail, aud: account.tokenUri, iat: .init(value: now),
        exp: .init(value: now.addingTimeInterval(3600)))
      let assertion = try await keys.sign(grant)
      let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)"
      let answer = try await calls.post(
        account.tokenUri, type: "application/x-www-form-urlencoded", Array(form.utf8))
      guard answer.status == 200 else { throw ProviderCalls.Unusable(status: answer.status) }
      let token: Token = try answer.decode()
      return token.expiring
    }
  }

  func send(_ notification: PushNotification, isTrial: Bool) async throws {
    let token = try await token.text
    // The payload is JSON already and is inserted unchanged.
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    let device = String(decoding: try encoder.encode(notification.device.token), as: UTF8.self)
    let message =
      Array(#"{"validate_only":\#(isTrial),"message":{"token":\#(device),"apns":{"payload":"#.utf8)
      + notification.payload + Array("}}}".utf8)
    let answer: ProviderCalls.Answer
    do {
      answer = try await calls.post(url, headers: ["Authorization": "Bearer \(token)"], message)
    } catch is ProviderCalls.Unanswered { throw PushFailure.unanswered }
    guard answer.status != 200 else { return }
    // Problems of this device or notification come with a code of Firebase's own.
    let refusal = try? answer.decode(Refusal.self)
    switch (answer.status, refusal?.code) {
    case (502...504, _): throw PushFailure.overloaded(status: answer.status, pause: answer.pause)
    case (429, _), (500..., _): throw PushFailure.delayed(status: answer.status, pause: answer.pause)
    case (401, let code) where code != "THIRD_PARTY_AUTH_ERROR":
      await self.token.forget(token)
      throw ProviderCalls.Unusable(status: answer.status)
    case (403, nil), (404, nil): throw ProviderCalls.Unusable(status: answer.status)
    case (400, _) where refusal?.concernsToken ?? false, (404, "UNREGISTERED"):
      throw PushFailure.unregistered(status: answer.status)
    default: throw PushFailure.refused(status: answer.status)
    }
  }
}
