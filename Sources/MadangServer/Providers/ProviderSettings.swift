import Logging
import NIOSSL

/// How other people's servers are reached, and as whom. What is left empty is off.
public struct ProviderSettings: Sendable {
  /// PortOne v1 (formerly iamport), which takes the payments.
  public struct PortOne: Sendable {
    public var url = "https://api.iamport.kr"
    /// `imp_key`; empty means no payments.
    public var key = ""
    /// `imp_secret`.
    public var secret = ""
    /// The `pg_id` of each shop at a payment gateway whose payments count. Empty for all, also those for tests, which cost nothing.
    public var shops: Set<String> = []
  }

  /// PortOne v2, which takes the payments in place of v1.
  public struct PortOneV2: Sendable {
    public var url = "https://api.portone.io"
    /// The V2 API secret; empty means off.
    public var secret = ""
    /// The store whose payments count; empty for the one that the secret belongs to.
    public var store = ""
    /// Whether payments through test channels, which cost nothing, count as well.
    public var takesTests = false
  }

  /// Sign in with Apple.
  public struct Apple: Sendable {
    /// Where Apple publishes the keys it signs with.
    public var keysURL = "https://appleid.apple.com/auth/keys"
    /// Bundle ids of the apps whose tokens are taken; empty means none.
    public var audiences: Set<String> = []
    /// Whether Apple's notices are taken, of people who take back the app's access or delete their account.
    public var takesNotices = false
  }

  /// Kakao Login.
  public struct Kakao: Sendable {
    /// `https://kapi.kakao.com`; empty means off.
    public var url = ""
    /// The number of the one Kakao app whose tokens are taken; 0 for none given.
    public var app = 0
    /// Whether tokens of any app are taken where no number is given: whoever runs another app can then sign in with the
    /// tokens of its users.
    public var takesAnyApp = false
    /// The app's admin key, by which Kakao's notices are known and people are unlinked; empty for neither.
    public var adminKey = ""

    /// What shows the admin key, in both directions.
    var authorization: String { "KakaoAK \(adminKey)" }
  }

  /// Firebase Cloud Messaging, which delivers notifications.
  public struct Firebase: Sendable {
    public var url = "https://fcm.googleapis.com"
    /// The service account's JSON file; empty means no notifications.
    public var accountFile = ""
    /// Seconds one call may take. A notification may need two, which have to end before another server may claim its chat: 25
    /// at most.
    public var timeout = 20
  }

  /// Apple Push Notification service, which delivers notifications to the devices that sent a token of its own.
  public struct ApplePush: Sendable {
    /// `https://api.sandbox.push.apple.com` for apps that Xcode put on a device.
    public var url = "https://api.push.apple.com"
    /// The key's file, `AuthKey_ID.p8`; empty means off.
    public var keyFile = ""
    /// Ten letters and digits, as in the name of the key's file.
    public var keyID = ""
    /// Ten letters and digits.
    public var team = ""
    /// The app's bundle id.
    public var topic = ""
    /// Seconds one call may take, which has to end before another server may claim its chat: 25 at most.
    public var timeout = 20
  }

  public var portOne = PortOne()
  public var portOneV2 = PortOneV2()
  public var apple = Apple()
  public var kakao = Kakao()
  public var firebase = Firebase()
  public var applePush = ApplePush()
  /// PEM file of certificates that may vouch for other people's servers, besides those that the system trusts; empty for none.
  public var authorityFile = ""
  /// How long one call may take. Clients give up after 5 s, and an answer may need two calls.
  public var timeout: Duration = .milliseconds(1800)

  public init() {}

  /// Throws ``SetupError`` if the file of authorities cannot be used.
  func authorities() throws -> [NIOSSLCertificate] {
    guard !authorityFile.isEmpty else { return [] }
    guard let authorities = try? NIOSSLCertificate.fromPEMFile(authorityFile), !authorities.isEmpty else {
      throw SetupError(
        "providers.ca: \(authorityFile) has no certificates in PEM; name a file of -----BEGIN CERTIFICATE-----")
    }
    return authorities
  }

  /// What delivers notifications; nil if nothing does. Throws ``SetupError`` if a file cannot be used.
  func pushSender(lifetime: Int64, logger: Logger) async throws -> (any PushSender)? {
    let authorities = try authorities()
    let firebase =
      firebase.accountFile.isEmpty
      ? nil
      : try await FirebaseMessaging(
        firebase,
        calls: ProviderCalls(timeout: .seconds(firebase.timeout), over: ProviderConnections(authorities: authorities)))
    guard !applePush.keyFile.isEmpty else { return firebase }
    let connections = ProviderConnections(authorities: authorities, isShared: true)
    return try await ApplePushService(
      applePush, calls: ProviderCalls(timeout: .seconds(applePush.timeout), over: connections), lifetime: lifetime,
      others: firebase, logger: logger)
  }
}
