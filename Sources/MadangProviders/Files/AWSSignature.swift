import Crypto
import Foundation
import MadangCore

/// Signs requests for Amazon's services: AWS Signature Version 4, in the `Authorization` header.
struct AWSSignature: Sendable {
  let accessKeyID: String
  let secretAccessKey: String
  let region: String
  let service: String

  /// The value of `Authorization`.
  ///
  /// - Parameters:
  ///   - path: Percent-encoded as sent (``Swift/String/percentEncoded(keeping:)``, keeping slashes).
  ///   - query: Names and values that are not encoded yet.
  ///   - headers: All signed headers, including `host` and `x-amz-date`.
  ///   - payloadHash: SHA-256 of the body in hexadecimal digits.
  ///   - date: As in `x-amz-date`, like `20150830T123600Z`.
  func authorization(
    method: String, path: String, query: [(String, String)], headers: [(String, String)], payloadHash: String,
    date: String
  ) -> String {
    var fields: [String: [String]] = [:]
    for (name, value) in headers { fields[name.lowercased(), default: []].append(Self.folded(value)) }
    let names = fields.keys.sorted()
    let signed = names.joined(separator: ";")
    let lines = names.map { "\($0):\(fields[$0, default: []].joined(separator: ","))\n" }.joined()
    let request = [method, path, Self.encoded(query: query), lines, signed, payloadHash].joined(separator: "\n")
    let day = String(date.prefix(8))
    let scope = "\(day)/\(region)/\(service)/aws4_request"
    let text = ["AWS4-HMAC-SHA256", date, scope, SHA256.hash(data: Array(request.utf8)).hex].joined(separator: "\n")
    var key = Array("AWS4\(secretAccessKey)".utf8)
    for part in [day, region, service, "aws4_request"] { key = Self.code(of: part, key) }
    return "AWS4-HMAC-SHA256 Credential=\(accessKeyID)/\(scope), SignedHeaders=\(signed), "
      + "Signature=\(Self.code(of: text, key).hex)"
  }

  private static func code(of text: String, _ key: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: key)))
  }

  /// A header's value without surrounding spaces, and with single spaces inside.
  private static func folded(_ value: String) -> String { value.split(separator: " ").joined(separator: " ") }

  /// A query as it is signed and sent: encoded, then sorted.
  static func encoded(query: [(String, String)]) -> String {
    let pairs = query.map { name, value in (name: name.percentEncoded(), value: value.percentEncoded()) }
    let sorted = pairs.sorted { ($0.name, $0.value) < ($1.name, $1.value) }
    return sorted.map { pair in "\(pair.name)=\(pair.value)" }.joined(separator: "&")
  }
}
