/// The number by which an acknowledgement refers to its event.
///
/// A client may send any non-negative integer. It is kept as digits, so that it is returned unchanged.
public struct AckID: Hashable, Sendable {
  /// The most digits accepted.
  public static let maxDigits = 40

  /// Decimal digits without leading zeros.
  public let digits: String

  public init(_ number: UInt64) {
    digits = String(number)
  }

  /// Parses digits; leading zeros are dropped. `nil` for a text that is empty or too long.
  init?(digits text: ArraySlice<UInt8>) {
    guard !text.isEmpty, text.count <= Self.maxDigits else { return nil }
    let significant = text.drop { $0 == UInt8(ascii: "0") }
    digits = significant.isEmpty ? "0" : String(decoding: significant, as: UTF8.self)
  }
}
