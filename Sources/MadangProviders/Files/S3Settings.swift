import MadangCore

/// The server and credentials of a bucket, for `files.home`.
public struct S3Settings: Sendable {
  public var endpoint = setting(
    "s3.endpoint", "", .text, "https://HOST[:PORT][/PATH] of the S3 server; empty for Amazon")
  /// May be empty only with a separate endpoint, for which `us-east-1` is used.
  public var region = setting(
    "s3.region", "", .text, "the bucket's region, like eu-central-1", .customary("AWS_REGION"))
  public var accessKeyID = setting(
    "s3.access.key.id", "", .text, "access key id for the bucket", .secret, .customary("AWS_ACCESS_KEY_ID"))
  public var secretAccessKey = setting(
    "s3.secret.access.key", "", .text, "secret access key for the bucket", .secret,
    .customary("AWS_SECRET_ACCESS_KEY"))
  /// The server does not renew it.
  public var sessionToken = setting(
    "s3.session.token", "", .text, "session token of temporary credentials; empty for permanent ones", .secret,
    .customary("AWS_SESSION_TOKEN"))

  public init() {}
}

/// A bucket and a prefix in it: `s3://BUCKET[/PREFIX]`.
package struct BucketName: Sendable {
  package let bucket: String
  /// Empty, or parts that each end with a slash.
  package let prefix: String

  /// Nil if the text has another form.
  package init?(_ text: String) {
    guard text.hasPrefix("s3://") else { return nil }
    var parts = text.dropFirst(5).split(separator: "/", omittingEmptySubsequences: false)
    if parts.count > 1, parts.last == "" { parts.removeLast() }
    let bucket = parts.removeFirst()
    let isName = bucket.utf8.allSatisfy {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
    }
    guard isName, (3...63).contains(bucket.count), parts.allSatisfy({ !["", ".", ".."].contains($0) }) else {
      return nil
    }
    self.bucket = String(bucket)
    prefix = parts.map { "\($0)/" }.joined()
  }
}
