import MadangCore
import Synchronization

/// Random-looking bytes that repeat with the same seed: SplitMix64 (Steele, Lea and Flood, 2014). The seed reveals them
/// all, so they are for tests only.
final class SeededRandom: Sendable {
  private let number: Mutex<UInt64>

  init(_ number: UInt64) { self.number = Mutex(number) }

  /// The present state: another generator from it continues alike.
  var position: UInt64 { number.withLock(\.self) }

  var ids: IDSource { IDSource { [self] in bytes($0) } }

  private func bytes(_ count: Int) -> [UInt8] {
    number.withLock { number in
      var bytes: [UInt8] = []
      bytes.reserveCapacity(count + 8)
      while bytes.count < count {
        number &+= 0x9E37_79B9_7F4A_7C15
        var word = number
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        word ^= word >> 31
        withUnsafeBytes(of: word.littleEndian) { bytes += $0 }
      }
      return Array(bytes.prefix(count))
    }
  }
}
