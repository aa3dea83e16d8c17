import Crypto

/// The source of ids, tokens and names.
package struct IDSource: Sendable {
  /// Returns the given number of unpredictable bytes.
  private let randomBytes: @Sendable (Int) -> [UInt8]

  package init(
    randomBytes: @escaping @Sendable (Int) -> [UInt8] = { count in
      // Each call of the generator is a system call that returns eight random bytes, so all eight are used.
      var generator = SystemRandomNumberGenerator()
      return [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
        while filled < count {
          withUnsafeBytes(of: generator.next()) { random in
            for byte in random.prefix(count - filled) {
              bytes[filled] = byte
              filled += 1
            }
          }
        }
      }
    }
  ) {
    self.randomBytes = randomBytes
  }

  package func bytes(_ count: Int) -> [UInt8] { randomBytes(count) }

  /// A lower-case version 4 UUID.
  package func uuid() -> String {
    var bytes = randomBytes(16)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    var digits = bytes.hexDigits
    for index in [20, 16, 12, 8] { digits.insert(UInt8(ascii: "-"), at: index) }
    return String(decoding: digits, as: UTF8.self)
  }

  /// An unpredictable name of `a-z0-9`, with about 128 random bits.
  package func secretName() -> String { name(25) }

  /// `count` characters of `a-z0-9`.
  package func name(_ count: Int) -> String {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
    return String(decoding: randomBytes(count).map { alphabet[Int($0) % alphabet.count] }, as: UTF8.self)
  }
}

extension Sequence<UInt8> {
  /// Lower-case hexadecimal digits.
  package var hex: String { String(decoding: hexDigits, as: UTF8.self) }

  fileprivate var hexDigits: [UInt8] {
    var digits: [UInt8] = []
    digits.reserveCapacity(2 * underestimatedCount)
    func digit(_ value: UInt8) -> UInt8 { value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10) }
    for byte in self {
      digits.append(digit(byte >> 4))
      digits.append(digit(byte & 15))
    }
    return digits
  }
}

extension String {
  /// The hash that is stored instead of a random secret: the hexadecimal SHA-256 of its UTF-8.
  var sha256: String { SHA256.hash(data: Array(utf8)).hex }
}
