import MadangCore
import Synchronization

/// Ids that look random and are the same for the same number. They are for tests only: the number predicts all of them.
final class SeededRandom: Sendable {
  private let generator: Mutex<SeededGenerator>

  init(_ number: UInt64) { generator = Mutex(SeededGenerator(seed: number)) }

  /// The present state: another generator from it continues alike.
  var position: UInt64 { generator.withLock(\.state) }

  var ids: IDSource { IDSource { [self] in bytes($0) } }

  private func bytes(_ count: Int) -> [UInt8] {
    generator.withLock { generator in
      var bytes: [UInt8] = []
      while bytes.count < count { withUnsafeBytes(of: generator.next().littleEndian) { bytes += $0 } }
      return Array(bytes.prefix(count))
    }
  }
}
