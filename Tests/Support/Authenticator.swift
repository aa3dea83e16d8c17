import MadangCore

/// An authenticator app with one secret.
package struct Authenticator: Sendable {
  private let secret: SecondStep

  /// - Parameter base32: As the server shows it.
  package init(_ base32: String) {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    var (bytes, bits, count) = ([UInt8](), 0, 0)
    for letter in base32 {
      (bits, count) = (bits << 5 | (alphabet.firstIndex(of: letter) ?? 0), count + 5)
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(bits >> count & 255))
      bits &= (1 << count) - 1
    }
    secret = SecondStep(secret: bytes)
  }

  /// The six digits that the app shows.
  /// - Parameter steps: How many steps its clock is ahead.
  package func code(_ clock: Clock, ahead steps: Int64 = 0) -> String {
    let digits = String(secret.digits(in: SecondStep.number(at: clock.now) + steps))
    return String(repeating: "0", count: 6 - digits.count) + digits
  }
}
