import Foundation

/// The text of a statement: one byte marks each value, another one a clause that the engines spell differently. Bytes: most statements are
/// put together for each call, and strings cost several times as much to append to.
struct SQLTemplate: Sendable {
  private var bytes: [UInt8] = []

  // No statement has these bytes by itself.

  /// Stands for a value.
  static let mark = String(UnicodeScalar(markByte))
  private static let markByte: UInt8 = 1
  /// Stands for what ``Dialect/returningID`` says.
  private static let returningIDByte: UInt8 = 2

  static let returningID = SQLTemplate(String(UnicodeScalar(returningIDByte)))

  init(_ text: String) { append(text) }

  mutating func reserveCapacity(_ count: Int) { bytes.reserveCapacity(count) }

  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }

  mutating func append(_ other: SQLTemplate) { bytes += other.bytes }

  mutating func appendMark() { bytes.append(Self.markByte) }

  /// Whether ``SQL/returningID`` is in it.
  var returnsID: Bool { bytes.contains(Self.returningIDByte) }

  /// The statement with `$1` ... `$n` where the values stand.
  func text(for dialect: Dialect) -> String {
    var (text, start, number) = ("", 0, 0)
    for (index, byte) in bytes.enumerated() where byte == Self.markByte || byte == Self.returningIDByte {
      text += String(decoding: bytes[start..<index], as: UTF8.self)
      start = index + 1
      if byte == Self.markByte {
        number += 1
        text += "$\(number)"
      } else {
        text += dialect.returningID
      }
    }
    return text + String(decoding: bytes[start...], as: UTF8.self)
  }
}

extension SQLTemplate: Hashable {
  /// By `memcmp`: arrays are compared element by element.
  static func == (one: SQLTemplate, other: SQLTemplate) -> Bool {
    one.bytes.count == other.bytes.count
      && one.bytes.withUnsafeBytes { one in
        other.bytes.withUnsafeBytes { other in
          guard let start = one.baseAddress, let otherStart = other.baseAddress else { return true }
          return memcmp(start, otherStart, one.count) == 0
        }
      }
  }

  /// Texts are long, and are looked up with every statement: their lengths and ends tell most of them apart.
  func hash(into hasher: inout Hasher) {
    hasher.combine(bytes.count)
    hasher.combine(bytes.suffix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
  }
}
