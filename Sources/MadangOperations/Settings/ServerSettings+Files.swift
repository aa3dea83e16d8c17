import Foundation
import MadangCore
import MadangProviders

extension ServerSettings {
  /// The largest file in a bucket is 5 GiB, because a bucket copies that much in one call.
  static let maxBucketFile = 5 << 30

  /// Problems of the files' location.
  func filesProblems() -> [String] {
    guard !filesHome.isEmpty else { return [] }
    guard BucketName(filesHome) != nil else {
      return ["files.home: '\(filesHome)' is not a bucket; write s3://bucket or s3://bucket/prefix"]
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
        "s3.endpoint: '\(s3.endpoint)' is not a server; write one like https://s3.example.com:9000 or https://example.com/storage/s3"
      )
    }
    if domain.files.maxSize > Self.maxBucketFile {
      problems.append("files.size: a file in a bucket may have at most \(Self.maxBucketFile) bytes")
    }
    return problems
  }
}
