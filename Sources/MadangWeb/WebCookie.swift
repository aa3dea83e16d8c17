import Crypto
import HTTPTypes
import Hummingbird
import MadangCore

/// The cookie that stands for a browser's session. Its value is the session's refresh token, of which the database has the hash only; before
/// the sign-in it is random. Scripts cannot read it.
struct WebCookie: Sendable {
  /// Specific to this installation: cookies do not differ by port, so servers on one host would overwrite each other's.
  private let name: String
  private let path: String
  private let key: SymmetricKey
  private let seconds: Int64?

  /// - Parameters:
  ///   - stem: The beginning of its name.
  ///   - path: Where browsers send it; ends in a slash.
  ///   - seconds: How long a session lasts; nil to forget the cookie when the browser ends.
  init(_ stem: String = "madang_web", path: String = "/", key: [UInt8], seconds: Int64?) {
    self.key = SymmetricKey(data: key)
    (self.path, self.seconds) = (path, seconds)
    let mark = HMAC<SHA256>.authenticationCode(for: Array("name".utf8), using: self.key)
    name = "\(stem)_\(Array(mark.prefix(4)).hex)"
  }

  /// No value of ours is longer.
  private static let maxLength = 100

  /// The value in a request; nil if there is none. Of several it is the one of the shown proof, else the last: without TLS a page of another
  /// port can set more, and browsers send those of longer paths first (RFC 6265 section 5.4).
  func value(in headers: HTTPFields, isSecure: Bool) -> String? {
    let values = values(in: headers, isSecure: isSecure)
    guard values.count > 1 else { return values.first }
    return values.first { isProof(headers[.proof], of: $0) } ?? values.last
  }

  /// How many values are compared with the proof.
  private static let maxValues = 4

  private func values(in headers: HTTPFields, isSecure: Bool) -> [String] {
    let wanted = name(isSecure)
    var values: [String] = []
    for field in headers[values: .cookie] {
      for pair in field.split(separator: ";") {
        let parts = pair.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[0].trimmingWhitespace() == wanted, parts[1].utf8.count <= Self.maxLength else {
          continue
        }
        values.append(parts[1].trimmingWhitespace())
      }
    }
    return Array(values.suffix(Self.maxValues))
  }

  /// A value for the time before the sign-in.
  static func random(_ ids: IDSource) -> String { "p." + ids.bytes(32).hex }

  /// Whether a value is one for the time before the sign-in.
  static func isRandom(_ value: String) -> Bool { value.hasPrefix("p.") }

  func set(_ value: String, in response: inout Response, isSecure: Bool) {
    write(value, seconds: seconds, in: &response, isSecure)
  }

  func remove(from response: inout Response, isSecure: Bool) { write("", seconds: 0, in: &response, isSecure) }

  private func write(_ value: String, seconds: Int64?, in response: inout Response, _ isSecure: Bool) {
    response.headers.append(
      HTTPField(
        name: .setCookie,
        value:
          "\(name(isSecure))=\(value); Path=\(path)\(seconds.map { "; Max-Age=\($0)" } ?? ""); HttpOnly; SameSite=Strict"
          + (isSecure ? "; Secure" : "")))
  }

  /// With the prefix, no page without TLS can set it; with that of `/`, no page of another name of the site either.
  private func name(_ isSecure: Bool) -> String {
    guard isSecure else { return name }
    return path == "/" ? "__Host-\(name)" : "__Secure-\(name)"
  }

  /// What a page shows with calls that change something: it can be computed from the cookie by this installation only, and no other site
  /// can read it.
  func proof(of value: String) -> String {
    Array(HMAC<SHA256>.authenticationCode(for: Array("proof \(value)".utf8), using: key)).hex
  }

  func isProof(_ text: String?, of value: String?) -> Bool {
    guard let text, let value else { return false }
    // Digests are compared in constant time.
    return SHA256.hash(data: Array(text.utf8)) == SHA256.hash(data: Array(proof(of: value).utf8))
  }
}
