/// How other people's servers are reached, and as whom. What is left empty is off.
public struct ProviderSettings: Sendable {
  /// PortOne v1 (formerly iamport), which takes the payments.
  public struct PortOne: Sendable {
    public var url = "https://api.iamport.kr"
    /// `imp_key`; empty means no payments.
    public var key = ""
    /// `imp_secret`.
    public var secret = ""
  }

  /// Sign in with Apple.
  public struct Apple: Sendable {
    /// Where Apple publishes the keys it signs with.
    public var keysURL = "https://appleid.apple.com/auth/keys"
    /// Bundle ids of the apps whose tokens are taken; empty means none.
    public var audiences: Set<String> = []
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

  public var portOne = PortOne()
  public var apple = Apple()
  public var kakao = Kakao()
  public var firebase = Firebase()
  /// How long one call may take. Clients give up after 5 s, and an answer may need two calls.
  public var timeout: Duration = .milliseconds(1800)

  public init() {}
}
