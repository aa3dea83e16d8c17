import Foundation

/// Hostile input that can be made again: the corpus, and mutations of it by number.
///
/// `SOCKETIO_FUZZ_COUNT` sets how many inputs each layer gets, `SOCKETIO_FUZZ_SEED` where they begin; without them a
/// layer gets as many as cost a second or so.
public struct Fuzzer: Sendable {
  public static let count = setting("COUNT") ?? 4000
  public static let seed = UInt64(setting("SEED") ?? 20_261_121)
  /// Whether somebody waits for many inputs, in a process of their own.
  public static let isLong = setting("COUNT") != nil

  /// What the process may grow by, however many inputs there are.
  public static let maxGrowth = 64 << 20

  private static func setting(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment["SOCKETIO_FUZZ_\(name)"].flatMap { Int($0) }
  }

  public let corpus: [[UInt8]]

  /// - Parameter folder: The part of the corpus to start from.
  public init(_ folder: String) throws {
    let url = Bundle.module.bundleURL.appending(path: "Corpus/\(folder)")
    let files = try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
    corpus = try files.sorted { $0.path < $1.path }.map { Array(try Data(contentsOf: $0)) }
  }

  /// Calls `body` with every input of the corpus, then with mutations; each with a generator of its own, so that the
  /// number alone makes an input again.
  public func run(_ body: (_ number: Int, _ input: [UInt8], _ generator: inout SeededGenerator) throws -> Void) rethrows
  {
    for number in 0..<max(Self.count, corpus.count) {
      var generator = SeededGenerator(state: Self.seed &+ UInt64(number) &* 0x2545_f491_4f6c_dd1d)
      let input = number < corpus.count ? corpus[number] : mutated(&generator)
      try body(number, input, &generator)
    }
  }

  private static let marks = Array(#"[]{}",:0-/\b4"#.utf8)

  /// A corpus input, changed in a few places or spliced with another.
  public func mutated(_ generator: inout SeededGenerator) -> [UInt8] {
    var input = corpus.randomElement(using: &generator) ?? []
    for _ in 0..<Int.random(in: 1...6, using: &generator) {
      let index = Int.random(in: 0...input.count, using: &generator)
      switch Int.random(in: 0..<7, using: &generator) {
      case 0 where index < input.count: input[index] = .random(in: 0...255, using: &generator)
      case 1 where index < input.count: input[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 2 where index < input.count: input.remove(at: index)
      case 3: input.removeLast(input.count - index)
      case 4: input.insert(contentsOf: input.prefix(16), at: index)
      case 5: input += corpus.randomElement(using: &generator)?.suffix(32) ?? []
      default: input.insert(Self.marks.randomElement(using: &generator) ?? 0, at: index)
      }
    }
    return input
  }
}

/// A small reproducible generator (SplitMix64).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(state: UInt64) {
    self.state = state
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}

/// The most memory this process has had resident, in bytes; 0 where the system does not tell.
public func peakMemory() -> Int {
  var usage = rusage()
  #if canImport(Glibc)
    guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
    return usage.ru_maxrss * 1024
  #else
    guard getrusage(RUSAGE_SELF, &usage) == 0 else { return 0 }
    return usage.ru_maxrss
  #endif
}
