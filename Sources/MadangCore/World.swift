import Crypto
import Foundation
import Synchronization

/// The time, in milliseconds since 1970 UTC. Development mode moves it on.
package final class Clock: Sendable {
  private let source: @Sendable () -> Int64
  private let steadySource: @Sendable () -> Int64
  private let advance = Atomic<Int64>(0)

  /// - Parameter steady: Milliseconds of a clock that nobody sets.
  package init(
    _ source: @escaping @Sendable () -> Int64 = Clock.systemTime,
    steady: @escaping @Sendable () -> Int64 = Clock.steadyTime
  ) {
    self.source = source
    steadySource = steady
  }

  package var now: Int64 { source() + advance.load(ordering: .relaxed) }

  /// Milliseconds of a clock that nobody sets, for limits: when the time of day jumps, they go on. Development mode moves it
  /// on as well.
  package var steady: Int64 { steadySource() + advance.load(ordering: .relaxed) }

  /// By how many milliseconds it was moved on.
  package var advanced: Int64 { advance.load(ordering: .relaxed) }

  /// Moves the clock on by `milliseconds`, which must not be negative: times already handed out stay in the past.
  package func advance(milliseconds: Int64) {
    precondition(milliseconds >= 0)
    advance.add(milliseconds, ordering: .relaxed)
  }

  package static let systemTime: @Sendable () -> Int64 = { milliseconds(CLOCK_REALTIME) }
  package static let steadyTime: @Sendable () -> Int64 = { milliseconds(CLOCK_MONOTONIC) }

  private static func milliseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}

/// Where ids, tokens and names come from.
package struct IDSource: Sendable {
  /// Fills a buffer of the given size with bytes nobody can guess.
  private let randomBytes: @Sendable (Int) -> [UInt8]

  package init(
    randomBytes: @escaping @Sendable (Int) -> [UInt8] = { count in
      // Every call of the generator is a system call, whose eight bytes all count.
      var generator = SystemRandomNumberGenerator()
      var bytes: [UInt8] = []
      bytes.reserveCapacity(count)
      while bytes.count < count {
        withUnsafeBytes(of: generator.next()) { bytes += $0.prefix(count - bytes.count) }
      }
      return bytes
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

  /// A name nobody guesses, of `a-z0-9`: about 128 random bits.
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
  /// What is kept of a secret of full strength: the hexadecimal SHA-256 of its UTF-8.
  var sha256: String { SHA256.hash(data: Array(utf8)).hex }
}
