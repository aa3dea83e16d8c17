import Foundation

/// The destination of a bucket's calls: Amazon's servers by the bucket's own host name, others by a path.
struct S3Server: Sendable {
  /// Scheme and host, without a slash at the end.
  let origin: String
  /// As in the header `Host`.
  let host: String
  private let path: String

  init(bucket: String, _ settings: S3Settings) {
    if let url = URL(string: settings.endpoint), let bare = url.host() {
      let name = bare.contains(":") ? "[\(bare)]" : bare
      let isDefault = url.port == nil || url.port == (url.scheme == "https" ? 443 : 80)
      host = name + (isDefault ? "" : url.port.map { ":\($0)" } ?? "")
      origin = "\(url.scheme ?? "https")://\(host)"
      // Not encoded, because it is signed and sent like the names of objects.
      path = url.path(percentEncoded: false).split(separator: "/").map { "/\($0)" }.joined() + "/\(bucket)"
    } else {
      let domain = "s3.\(settings.region).amazonaws.com" + (settings.region.hasPrefix("cn-") ? ".cn" : "")
      // Amazon's certificate is for names without further dots.
      let isByPath = bucket.contains(".")
      host = isByPath ? domain : "\(bucket).\(domain)"
      origin = "https://\(host)"
      path = isByPath ? "/\(bucket)" : ""
    }
  }

  /// The path of an object, or of the bucket if the key is empty; not encoded.
  func path(_ key: String) -> String { key.isEmpty ? (path.isEmpty ? "/" : path) : "\(path)/\(key)" }
}
