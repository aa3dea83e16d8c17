import MadangCore

/// Limits of request bodies, in bytes. Beyond one: `E11`.
public struct BodyLimits: Sendable {
  public var request = setting("limits.body", 50 * 1024 * 1024, .integer(1...), "bytes of a request")
  /// Of a JSON or form body, and of all text parts together.
  public var text = setting("limits.text", 1024 * 1024, .integer(1...), "bytes of a JSON or form body")
  public var parts = 64
  public var partHeader = 8192
  /// The length of a multipart boundary. RFC 2046 section 5.1.1 allows 70.
  public var boundary = 256

  public init() {}
}
