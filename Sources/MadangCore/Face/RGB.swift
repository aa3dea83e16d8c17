import Foundation

/// A colour of sRGB.
package struct RGB: Sendable, Equatable {
  static let white = RGB(1, 1, 1)
  static let black = RGB(0, 0, 0)

  private let red: Double
  private let green: Double
  private let blue: Double

  private init(_ red: Double, _ green: Double, _ blue: Double) {
    (self.red, self.green, self.blue) = (red, green, blue)
  }

  /// - Parameter value: Like `0xb04513`.
  init(_ value: Int) {
    self.init(Double(value >> 16 & 0xff) / 255, Double(value >> 8 & 0xff) / 255, Double(value & 0xff) / 255)
  }

  /// - Parameter text: Like `#b04513`.
  package init?(_ text: String) {
    guard text.utf8.count == 7, text.hasPrefix("#"), text.dropFirst().allSatisfy(\.isHexDigit),
      let value = Int(text.dropFirst(), radix: 16)
    else { return nil }
    self.init(value)
  }

  /// Like `#b04513`.
  package var text: String {
    "#" + [red, green, blue].map { [UInt8(($0 * 255).rounded())].hex }.joined()
  }

  /// - Parameter share: The other colour's share, from 0 to 1.
  func mixed(with other: RGB, _ share: Double) -> RGB {
    func mix(_ own: Double, _ other: Double) -> Double { own + (other - own) * share }
    // As it is written, so that what is measured is what is shown.
    return RGB(
      Self.rounded(mix(red, other.red)), Self.rounded(mix(green, other.green)), Self.rounded(mix(blue, other.blue)))
  }

  private static func rounded(_ part: Double) -> Double { (part * 255).rounded() / 255 }

  /// From 1 to 21 (WCAG 2.2).
  package func contrast(to other: RGB) -> Double {
    let (one, two) = (luminance, other.luminance)
    return (max(one, two) + 0.05) / (min(one, two) + 0.05)
  }

  private var luminance: Double {
    func linear(_ part: Double) -> Double { part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4) }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }
}
