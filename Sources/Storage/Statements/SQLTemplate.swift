import Foundation

/// The text of a statement. One byte marks each value, another one a clause that the engines spell differently. It is stored as bytes: most
/// statements are built for each call, and appending to strings costs several times as much.
struct SQLTemplate: Sendable {
  private var bytes: [UInt8] = []

  // Statements contain neither of these two bytes otherwise.

  /// Stands for a value.
  static let mark = String(UnicodeScalar(markByte))
  private static let markByte: UInt8 = 1
  /// Marks the place of ``Dialect/returningID``.
  private static let returningIDByte: UInt8 = 2

  static let returningID = SQLTemplate(String(UnicodeScalar(returningIDByte)))

  init() {}

  init(_ text: String) { append(text) }

  mutating func reserveCapacity(_ count: Int) { bytes.reserveCapacity(count) }

  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }

  mutating func append(_ text: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: text) }

  mutating func append(_ other: SQLTemplate) { bytes += other.bytes }

  mutating func appendMark() { bytes.append(Self.markByte) }

  /// Whether it contains ``SQL/returningID``.
  var returnsID: Bool { bytes.contains(Self.returningIDByte) }

  /// The statement with `$1` ... `$n` for the values.
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
  /// Uses `memcmp`; arrays would compare element by element.
  static func == (one: SQLTemplate, other: SQLTemplate) -> Bool {
    one.bytes.count == other.bytes.count
      && one.bytes.withUnsafeBytes { one in
        other.bytes.withUnsafeBytes { other in
          guard let start = one.baseAddress, let otherStart = other.baseAddress else { return true }
          return memcmp(start, otherStart, one.count) == 0
        }
      }
  }

  /// Hashes only the length and the last 8 bytes: templates are long and are looked up for every statement, and these differ for most.
  func hash(into hasher: inout Hasher) {
    hasher.combine(bytes.count)
    hasher.combine(bytes.suffix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
  }
}
