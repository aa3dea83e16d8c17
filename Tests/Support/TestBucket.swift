import Foundation
import MadangOperations
import MadangProviders
import MadangServer

/// The bucket that `Scripts/with-s3` provides; each test uses a prefix of its own.
package enum TestBucket {
  private static func variable(_ name: String) -> String? {
    ProcessInfo.processInfo.environment["MADANG_TEST_S3\(name)"]
  }

  package static var isThere: Bool { variable("") != nil }

  /// Whether all tests store files in the bucket, and not only the tests of buckets: `MADANG_TEST_S3_WORLDS=1`.
  package static var holdsAllFiles: Bool { isThere && variable("_WORLDS") == "1" }

  package static var name: String { variable("_BUCKET") ?? "" }

  package static var settings: S3Settings {
    var settings = S3Settings()
    settings.endpoint = variable("") ?? ""
    settings.accessKeyID = variable("_KEY") ?? ""
    settings.secretAccessKey = variable("_SECRET") ?? ""
    return settings
  }
}

extension ServerSettings {
  package mutating func keepFilesInTestBucket() {
    filesHome = "s3://\(TestBucket.name)/\(UUID().uuidString)"
    s3 = TestBucket.settings
  }
}

extension ServerSettings {
  /// The bucket of these settings as environment variables.
  package var bucketEnvironment: [String: String] {
    [
      "MADANG_FILES_HOME": filesHome, "MADANG_S3_ENDPOINT": s3.endpoint, "MADANG_S3_ACCESS_KEY_ID": s3.accessKeyID,
      "MADANG_S3_SECRET_ACCESS_KEY": s3.secretAccessKey,
    ]
  }
}
