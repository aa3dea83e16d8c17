import Foundation
import MadangCore

/// How a bucket is reached, and as whom; of use where ``ServerSettings/filesHome`` names one.
public struct S3Settings: Sendable {
  public var endpoint = setting(
    "s3.endpoint", "", .text, "https://HOST[:PORT][/PATH] of a server that speaks S3; empty for Amazon's")
  /// Empty only with an endpoint of one's own, which then is told `us-east-1`.
  public var region = setting(
    "s3.region", "", .text, "the bucket's region, like eu-central-1", .customary("AWS_REGION"))
  public var accessKeyID = setting(
    "s3.access.key.id", "", .text, "who puts files into the bucket", .secret, .customary("AWS_ACCESS_KEY_ID"))
  public var secretAccessKey = setting(
    "s3.secret.access.key", "", .text, "what their calls are signed with", .secret,
    .customary("AWS_SECRET_ACCESS_KEY"))
  /// The server does not renew it.
  public var sessionToken = setting(
    "s3.session.token", "", .text, "of temporary credentials; empty for others", .secret,
    .customary("AWS_SESSION_TOKEN"))

  public init() {}
}

/// A bucket and a place in it: `s3://BUCKET[/PREFIX]`.
struct BucketName: Sendable {
  let bucket: String
  /// Empty, or parts that each end with a slash.
  let prefix: String

  /// Nil if the text is none.
  init?(_ text: String) {
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

extension ServerSettings {
  /// A file may have 5 GiB: what a bucket copies in one call.
  static let maxBucketFile = 5 << 30

  /// What is wrong with where files are kept.
  func filesProblems() -> [String] {
    guard !filesHome.isEmpty else { return [] }
    guard BucketName(filesHome) != nil else {
      return ["files.home: '\(filesHome)' is no bucket; write s3://bucket or s3://bucket/prefix"]
    }
    var problems: [String] = []
    if s3.accessKeyID.isEmpty || s3.secretAccessKey.isEmpty {
      problems.append(
        "files.home: a bucket needs credentials; set s3.access.key.id and s3.secret.access.key "
          + "(AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY)")
    }
    if s3.endpoint.isEmpty && s3.region.isEmpty {
      problems.append("s3.region: a bucket of Amazon needs its region; write one like eu-central-1 (AWS_REGION)")
    }
    let url = URL(string: s3.endpoint)
    let path = url?.pathComponents ?? []
    if !s3.endpoint.isEmpty,
      !["http", "https"].contains(url?.scheme) || url?.host() == nil || url?.query() != nil || url?.fragment() != nil
        || url?.user() != nil || path.contains(".") || path.contains("..")
    {
      problems.append(
        "s3.endpoint: '\(s3.endpoint)' is no server; write one like https://s3.example.com:9000 or https://example.com/storage/s3"
      )
    }
    if domain.files.maxSize > Self.maxBucketFile {
      problems.append("files.size: a file in a bucket may have \(Self.maxBucketFile) bytes at most")
    }
    return problems
  }
}
