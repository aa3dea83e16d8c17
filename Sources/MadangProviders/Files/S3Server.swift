import Foundation

/// Where calls to a bucket are sent. On Amazon's servers a bucket has its own host name, on others a path.
struct S3Server: Sendable {
  /// Scheme and host, without a slash at the end.
  let origin: String
  /// Host name and port, as in the `Host` header.
  let host: String
  private let path: String

  init(bucket: String, _ settings: S3Settings) {
    if let url = URL(string: settings.endpoint), let bare = url.host() {
      let name = bare.contains(":") ? "[\(bare)]" : bare
      let isDefault = url.port == nil || url.port == (url.scheme == "https" ? 443 : 80)
      host = name + (isDefault ? "" : url.port.map { ":\($0)" } ?? "")
      origin = "\(url.scheme ?? "https")://\(host)"
      // Not percent-encoded: each call encodes it together with the object's key.
      path = url.path(percentEncoded: false).split(separator: "/").map { "/\($0)" }.joined() + "/\(bucket)"
    } else {
      let domain = "s3.\(settings.region).amazonaws.com" + (settings.region.hasPrefix("cn-") ? ".cn" : "")
      // Amazon's certificate does not cover bucket names with dots.
      let isByPath = bucket.contains(".")
      host = isByPath ? domain : "\(bucket).\(domain)"
      origin = "https://\(host)"
      path = isByPath ? "/\(bucket)" : ""
    }
  }

  /// The path of an object, or of the bucket if the key is empty; not encoded.
  func path(_ key: String) -> String { key.isEmpty ? (path.isEmpty ? "/" : path) : "\(path)/\(key)" }
}
