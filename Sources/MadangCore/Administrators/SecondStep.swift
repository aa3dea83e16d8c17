import Crypto

/// The secret of an authenticator app, which shows six digits for each 30 seconds (RFC 6238 with SHA-1, which every app knows).
package struct SecondStep: Equatable, Sendable {
  static let size = 20
  private static let duration: Int64 = 30_000
  /// More steps than the clocks of two servers differ by: an hour.
  static let farAhead: Int64 = 120

  let secret: [UInt8]

  package init(secret: [UInt8]) { self.secret = secret }

  /// As apps take it: in Base32 (RFC 4648) without padding.
  var base32: String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    var (text, bits, count) = ([UInt8](), 0, 0)
    for byte in secret {
      (bits, count) = (bits << 8 | Int(byte), count + 8)
      while count >= 5 {
        count -= 5
        text.append(alphabet[bits >> count & 31])
      }
      bits &= (1 << count) - 1
    }
    if count > 0 { text.append(alphabet[bits << (5 - count) & 31]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// - Parameter time: Milliseconds since 1970.
  package static func number(at time: Int64) -> Int64 { time / duration }

  /// The digits of a step, as a number.
  package func digits(in step: Int64) -> Int {
    let message = withUnsafeBytes(of: step.bigEndian, Array.init)
    let code = Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: SymmetricKey(data: secret)))
    let at = Int(code[19] & 15)
    return (code[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } & 0x7FFF_FFFF) % 1_000_000
  }

  /// The step whose digits were typed: the present one or one beside it, as clocks differ; nil if they belong to none of them. Takes the
  /// same time for each code.
  func number(of digits: Int?, at time: Int64) -> Int64? {
    let now = Self.number(at: time)
    return (now - 1...now + 1).reduce(nil) { found, step in self.digits(in: step) == digits ? step : found }
  }
}

// MARK: - Storing

extension SecondStep {
  /// As it is stored; see ``StoredSecret``.
  func stored(key: [UInt8]) throws -> String { try StoredSecret.text(of: secret, key: key) }

  /// Nil if the text is damaged or was sealed with another key.
  init?(stored: String, key: [UInt8]) {
    guard let secret = StoredSecret.secret(of: stored, key: key) else { return nil }
    self.init(secret: secret)
  }
}
