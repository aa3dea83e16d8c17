import MadangCore
import NIOSSL

/// Addresses and credentials of providers. Empty values switch a provider off.
public struct ProviderSettings: Sendable {
  /// PEM file of certificate authorities that are trusted for providers, in addition to the system's; empty for none.
  public var authorityFile = setting(
    "providers.ca", "", .text, "PEM file of certificate authorities trusted for providers, in addition to the system's")
  public var portOne = PortOne()
  public var portOneV2 = PortOneV2()
  public var apple = Apple()
  public var kakao = Kakao()
  public var firebase = Firebase()
  public var applePush = ApplePush()
  public var timeout: Duration = setting(
    "providers.timeout", .milliseconds(1800), .duration(.milliseconds(100) ... .seconds(60)),
    "how long one call to Apple, Kakao or PortOne may take; apps give up after 5 s, and an answer may need two calls")

  /// PortOne v1 (formerly iamport), for payments.
  public struct PortOne: Sendable {
    public var url = setting("payments.portone.url", "https://api.iamport.kr", .text, "PortOne's REST API")
    public var key = setting(
      "payments.portone.key", "", .text, "imp_key of the shop; empty for no payments", .secret)
    public var secret = setting("payments.portone.secret", "", .text, "imp_secret of the shop", .secret)
    public var shops: Set<String> = setting(
      "payments.portone.pg", [], .set,
      "pg_id of the shops whose payments count, separated by commas; empty for all, including test channels")
  }

  /// PortOne v2, for payments instead of v1.
  public struct PortOneV2: Sendable {
    public var url = setting("payments.portone.v2.url", "https://api.portone.io", .text, "PortOne's REST API v2")
    /// Empty means off.
    public var secret = setting(
      "payments.portone.v2.secret", "", .text, "V2 API secret of the shop, instead of the key and secret of v1", .secret
    )
    public var store = setting(
      "payments.portone.v2.store", "", .text, "store id; empty for the store of the secret")
    public var takesTests = setting(
      "payments.portone.v2.tests", false, .flag, "whether payments through test channels count; they cost nothing")
  }

  /// Sign in with Apple.
  public struct Apple: Sendable {
    public var keysURL = setting(
      "apple.keys.url", "https://appleid.apple.com/auth/keys", .text, "where Apple publishes the keys of its tokens")
    public var audiences: Set<String> = setting(
      "apple.audience", [], .set, "bundle ids whose Apple tokens are accepted, separated by commas; empty for none")
    public var takesNotices = setting(
      "apple.notices", false, .flag,
      "whether Apple's notices of people who revoke access are accepted, at /_hooks/apple")
  }

  /// Kakao Login.
  public struct Kakao: Sendable {
    public var url = setting(
      "kakao.url", "", .text, "https://kapi.kakao.com; empty for no sign-in with Kakao")
    /// 0 if not set.
    public var app = setting(
      "kakao.app", 0, .integer(), "number of the Kakao app whose tokens are accepted")
    /// Used if no number is set: then operators of other apps can sign in with the tokens of their users.
    public var takesAnyApp = setting(
      "kakao.any.app", false, .flag, "whether tokens of every Kakao app are accepted")
    public var adminKey = setting(
      "kakao.admin.key", "", .text,
      "the Kakao app's admin key, to accept its notices at /_hooks/kakao and to unlink deleted accounts", .secret)

    /// The prefix of the admin key, in both directions.
    var authorization: String { "KakaoAK \(adminKey)" }
  }

  /// Firebase Cloud Messaging, which delivers notifications.
  public struct Firebase: Sendable {
    public var accountFile = setting(
      "push.firebase.account", "", .text, "service account file; empty for no push")
    public var url = setting(
      "push.firebase.url", "https://fcm.googleapis.com", .text, "Firebase Cloud Messaging")
    /// A notification may need two calls, which have to end before another server may claim its chat.
    public var timeout = setting(
      "push.firebase.timeout", 20, .seconds(1...25), "seconds one call to Firebase may take")
  }

  /// Apple Push Notification service, for devices with a token of its own.
  public struct ApplePush: Sendable {
    public var keyFile = setting(
      "push.apns.key", "", .text, "APNs key file (.p8); empty for no direct push to APNs")
    /// Ten letters and digits, as in the name of the key's file.
    public var keyID = setting("push.apns.kid", "", .text, "the APNs key's id")
    /// Ten letters and digits.
    public var team = setting("push.apns.team", "", .text, "the Apple developer team's id")
    public var topic = setting("push.apns.topic", "", .text, "the app's bundle id")
    /// `https://api.sandbox.push.apple.com` for apps that Xcode put on a device.
    public var url = setting(
      "push.apns.url", "https://api.push.apple.com", .text, "Apple Push Notification service")
    /// A call has to end before another server may claim its chat.
    public var timeout = setting("push.apns.timeout", 20, .seconds(1...25), "seconds one call to APNs may take")
  }

  public init() {}

  /// Throws ``SetupError`` if the file of authorities cannot be used.
  package func authorities() throws(SetupError) -> [NIOSSLCertificate] {
    guard !authorityFile.isEmpty else { return [] }
    return try TrustedAuthorities.read(authorityFile, named: "providers.ca")
  }
}
