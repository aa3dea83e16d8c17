import MadangAPI
import Synchronization

/// Figures of the last day, one sample a minute, for graphs. They are kept in memory only, so a restart clears them.
final class Series: Sendable {
  /// What a server has counted.
  struct Reading: Sendable {
    /// Accounts with a socket now.
    var people = 0
    /// Chats that were posted since the start.
    var chats = 0
    /// How long posts took since the start, by ``Metrics/Histogram``.
    var posts = Array(repeating: 0, count: Metrics.Histogram.bounds.count + 1)
    /// What waits now.
    var pushes = 0
    var mails = 0
    var database = 0
  }

  private struct Sample {
    let minute: Int64
    var figures: Reading
  }

  private struct State {
    var last = Reading()
    var samples = [Sample?](repeating: nil, count: Series.length)
  }

  /// Minutes.
  static let length = 1440
  private static let minute: Int64 = 60_000

  private let state = Mutex(State())

  /// Adds the minute that ends about now.
  /// - Parameter now: Milliseconds since 1970.
  func add(_ reading: Reading, at now: Int64) {
    let minute = max(0, now - Self.minute / 2) / Self.minute
    state.withLock { state in
      var figures = reading
      figures.chats -= state.last.chats
      figures.posts = zip(reading.posts, state.last.posts).map { $0 - $1 }
      state.last = reading
      let place = Int(minute % Int64(Self.length))
      if let former = state.samples[place], former.minute == minute { figures = [former.figures, figures].joined }
      state.samples[place] = Sample(minute: minute, figures: figures)
    }
  }

  /// The last full steps.
  /// - Parameter step: Minutes.
  func graph(_ count: Int, steps step: Int, at now: Int64) -> Graph {
    let end = now / Self.minute / Int64(step) * Int64(step)
    let begin = end - Int64(count * step)
    let found = state.withLock { state in
      (0..<count).map { at in
        let minutes = (begin + Int64(at * step))..<(begin + Int64((at + 1) * step))
        let figures = minutes.compactMap { minute -> Reading? in
          guard minute >= 0, let sample = state.samples[Int(minute % Int64(Self.length))], sample.minute == minute
          else {
            return nil
          }
          return sample.figures
        }
        return figures.isEmpty ? nil : figures.joined
      }
    }
    return Graph(from: begin * Self.minute, step: step * 60, found)
  }

  /// The 99th percentile of posts of the last five full minutes, in seconds; nil without any.
  func post(at now: Int64) -> Double? {
    let end = now / Self.minute
    return state.withLock { state in
      state.samples.compactMap(\.self).filter { (end - 5..<end).contains($0.minute) }.map(\.figures).joined.percentile
    }
  }
}

/// Figures in steps of equal length, as pages draw them. Nil where none are known.
package struct Graph: Encodable, Sendable {
  package let from: String
  /// Seconds.
  package let step: Int
  package let people: [Int?]
  package let chats: [Int?]
  package let post: [Double?]
  package let pushes: [Int?]
  package let mails: [Int?]
  package let database: [Int?]

  fileprivate init(from: Int64, step: Int, _ figures: [Series.Reading?]) {
    (self.from, self.step) = (WireDate.string(from), step)
    people = figures.map { $0?.people }
    chats = figures.map { $0?.chats }
    post = figures.map { $0?.percentile }
    pushes = figures.map { $0?.pushes }
    mails = figures.map { $0?.mails }
    database = figures.map { $0?.database }
  }
}

extension [Series.Reading] {
  /// All in one: what was counted together, and the most that there was at a time.
  fileprivate var joined: Series.Reading {
    reduce(into: Series.Reading()) { all, one in
      all.people = Swift.max(all.people, one.people)
      all.chats += one.chats
      all.posts = zip(all.posts, one.posts).map { $0 + $1 }
      all.pushes = Swift.max(all.pushes, one.pushes)
      all.mails = Swift.max(all.mails, one.mails)
      all.database = Swift.max(all.database, one.database)
    }
  }
}

extension Series.Reading {
  /// The 99th percentile of posts in seconds, within its bucket; nil without posts.
  fileprivate var percentile: Double? {
    let total = posts.reduce(0, +)
    guard total > 0 else { return nil }
    let wanted = Double(total) * 0.99
    var before = 0
    for (count, (lower, upper)) in zip(posts, zip([0] + Metrics.Histogram.bounds, Metrics.Histogram.bounds)) {
      if Double(before + count) >= wanted {
        return lower + (upper - lower) * (wanted - Double(before)) / Double(Swift.max(1, count))
      }
      before += count
    }
    return Metrics.Histogram.bounds.last
  }
}
