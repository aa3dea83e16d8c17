/// The number by which an acknowledgement names its event.
///
/// Any non-negative integer may come from a client; it is kept as digits, so that it returns as it came.
public struct AckID: Hashable, Sendable {
  /// The most digits accepted.
  public static let maxDigits = 40

  /// Decimal digits without leading zeros.
  public let digits: String

  public init(_ number: UInt64) {
    digits = String(number)
  }

  /// Reads digits; leading zeros are dropped. `nil` for an empty or overlong text.
  init?(digits text: ArraySlice<UInt8>) {
    guard !text.isEmpty, text.count <= Self.maxDigits else { return nil }
    let significant = text.drop { $0 == UInt8(ascii: "0") }
    digits = significant.isEmpty ? "0" : String(decoding: significant, as: UTF8.self)
  }
}
