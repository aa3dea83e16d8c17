import MadangCore

/// A setting as administrators see it.
public struct ListedSetting: Encodable, Sendable {
  public let key: String
  /// Nothing of a secret.
  public let value: String
  /// Where the value comes from, in words.
  public let source: String
  /// Whether a running server takes another value.
  public let isLive: Bool
  public let help: String

  package init(_ setting: Setting) {
    (key, help, isLive) = (setting.key, setting.help, setting.isLive)
    (value, source) = (setting.shown, setting.source ?? "default")
  }
}
