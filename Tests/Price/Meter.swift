import Foundation
import PriceCounters

/// What reading one input cost.
struct Cost {
  /// Edges between basic blocks, and 16 bytes walked over each.
  var work: UInt64
  /// The most bytes that were held at once.
  var peak: Int64
  /// What is still held: caches, unless it leaks.
  var kept: Int64
  /// Nanoseconds of processor time: what the counters do not see, because it is done in the standard library.
  var processor: UInt64
}

extension Decoder {
  /// Reads the input and tells what it cost. A trap, or work far beyond the limits, ends the process as a find.
  func cost(of input: Input) async -> Cost {
    let limit = 8 * limits.work(input)
    let count: price_count
    var before: Int64
    let began = processorTime()
    switch body {
    case .plain(let read):
      price_begin(limit)
      before = price_end().live
      price_begin(limit)
      try? read(input)
      count = price_end()
    case .waiting(let read):
      price_begin(limit)
      before = price_end().live
      price_begin(limit)
      try? await read(input)
      count = price_end()
    }
    return Cost(
      work: count.steps + count.bytes / 16, peak: count.peak - before, kept: count.live - before,
      processor: processorTime() - began)
  }
}

private func processorTime() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
