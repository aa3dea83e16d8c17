import Fuzzing
import PriceCounters

/// What is wrong with a decoder, in words.
struct Find: Error, CustomStringConvertible {
  let description: String
}

/// Examines one decoder, input by input. A number and the seed make an input again.
struct Examination {
  let decoder: Decoder
  private let mutator: Mutator
  private let seed: UInt64
  private(set) var measured = Measured()

  init(_ decoder: Decoder, seed: UInt64) throws {
    self.decoder = decoder
    self.seed = seed
    mutator = Mutator(fuzzer: try Fuzzer(decoder.corpus))
  }

  /// What an input of that number is: one input, or a family of them.
  private enum Subject {
    case one(Input)
    case growing(Growth, size: Int)
  }

  private func subject(_ number: Int) -> Subject {
    let corpus = mutator.fuzzer.corpus
    if number < corpus.count { return .one(Input(bytes: corpus[number])) }
    var generator = SeededGenerator(state: seed &+ UInt64(number) &* 0x2545_f491_4f6c_dd1d)
    switch Int.random(in: 0..<64, using: &generator) {
    case 0: return .growing(Growth(of: mutator, &generator), size: 16 << 10)
    case 1..<4: return .growing(Growth(of: mutator, &generator), size: 4 << 10)
    case 4..<16: return .growing(Growth(of: mutator, &generator), size: 1 << 10)
    case 16..<24: return .one(Growth(of: mutator, &generator).input(size: .random(in: 0...512, using: &generator)))
    default: return .one(Input(bytes: mutator.mutated(&generator)))
    }
  }

  /// The bytes of an input; of a family those of the size that is looked at last.
  func input(_ number: Int) -> Input {
    switch subject(number) {
    case .one(let input): input
    case .growing(let growth, let size): growth.input(size: 4 * size)
    }
  }

  /// Throws a ``Find`` if the input of that number costs too much. A trap ends the process.
  mutating func examine(_ number: Int) async throws {
    price_examine(UInt64(number))
    switch subject(number) {
    case .one(let input): _ = try await price(input)
    case .growing(let growth, let size):
      let small = try await price(growth.input(size: size))
      let large = try await price(growth.input(size: 4 * size))
      guard grows(small, large) else { return }
      // Something else may have changed, such as from refused to taken, or what stands in front may be long and cheap:
      // only added bytes that cost more than those added before are a find.
      let largest = try await price(growth.input(size: 16 * size))
      guard grows(large, largest), grows(large.added(to: small), largest.added(to: large)) else { return }
      throw Find(
        description: """
          work per byte grows with length: \(small.perByte) at \(small.bytes) bytes, \(large.perByte) at \
          \(large.bytes), \(largest.perByte) at \(largest.bytes)
          """)
    }
  }

  /// What an input of some length cost.
  private struct Price {
    let bytes: Int
    let work: UInt64

    var perByte: UInt64 { work / UInt64(max(1, bytes)) }

    /// What the bytes cost by which this input is longer than one that cost less.
    func added(to smaller: Price) -> Price { Price(bytes: bytes - smaller.bytes, work: work - smaller.work) }
  }

  /// Whether the work grew by more than a half beyond what the length did, and is no trifle.
  private func grows(_ small: Price, _ large: Price) -> Bool {
    guard decoder.limits.isSteady, large.bytes >= 2 << 10, large.bytes > small.bytes * 2 else { return false }
    let constant = decoder.limits.work / 4
    let times = Double(large.bytes) / Double(max(1, small.bytes))
    return Double(large.work) > 1.5 * times * Double(small.work + constant)
  }

  private mutating func price(_ input: Input) async throws -> Price {
    let cost = await decoder.cost(of: input)
    guard cost.work <= decoder.limits.work(input) else {
      let allowed = decoder.limits.work(input)
      throw Find(
        description: """
          \(cost.work) work for \(input.bytes.count) bytes in \(input.pieceCount) pieces, where \(allowed) are allowed
          """)
    }
    guard cost.peak <= decoder.limits.memory(input) else {
      let allowed = decoder.limits.memory(input)
      throw Find(
        description: """
          \(cost.peak) bytes held at once for \(input.bytes.count) bytes in \(input.pieceCount) pieces, where \
          \(allowed) are allowed
          """)
    }
    let time = decoder.limits.processor + decoder.limits.processorPerByte * UInt64(input.bytes.count)
    var processor = cost.processor
    // Other programs on the machine cost some, too: what is dear is so each time.
    for _ in 0..<3 where processor > time { processor = min(processor, await decoder.cost(of: input).processor) }
    guard processor <= time else {
      throw Find(
        description: """
          \(processor / 1_000_000) ms of the processor for \(input.bytes.count) bytes, where \(time / 1_000_000) \
          are allowed
          """)
    }
    try measured.add(input, cost)
    return Price(bytes: input.bytes.count, work: cost.work)
  }
}

/// What a decoder cost so far.
struct Measured {
  /// What it may keep in caches of its own.
  private static let maxKept: Int64 = 16 << 20

  private(set) var bytes: UInt64 = 0
  private(set) var work: UInt64 = 0
  /// The most per byte of inputs that are long enough for constants to be small.
  private(set) var maxWorkPerByte: UInt64 = 0
  private(set) var maxMemoryPerByte = 0.0
  private var kept: Int64 = 0

  mutating func add(_ input: Input, _ cost: Cost) throws {
    bytes += UInt64(input.bytes.count)
    work += cost.work
    kept += cost.kept
    guard kept <= Self.maxKept else { throw Find(description: "\(kept) bytes are held after all inputs were read") }
    guard input.bytes.count >= 16 << 10 else { return }
    if input.pieceCount == 1 { maxWorkPerByte = max(maxWorkPerByte, cost.work / UInt64(input.bytes.count)) }
    maxMemoryPerByte = max(maxMemoryPerByte, Double(cost.peak) / Double(input.bytes.count))
  }

  var description: String {
    let memory = (maxMemoryPerByte * 10).rounded() / 10
    return "\(work / max(1, bytes)) work per byte, at most \(maxWorkPerByte); memory at most \(memory) times the input"
  }
}
