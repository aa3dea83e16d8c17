import Foundation
import MadangCore
import MadangProviders

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
