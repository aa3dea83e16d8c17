/// The steps of a session, with their times in milliseconds.
struct TimedSteps {
  private var timed: [(step: RecordedStep, time: Double)] = []

  /// Pauses of less are left out; others are rounded to ten milliseconds.
  private static let shortestPause = 50.0
  /// A longer one is a mistake of a clock.
  private static let longestPause = 1e12

  var isEmpty: Bool { timed.isEmpty }
  var all: [RecordedStep] { timed.map(\.step) }

  mutating func append(_ step: RecordedStep, at time: Double) { timed.append((step, time)) }

  /// The steps with the pauses between them.
  var withPauses: [RecordedStep] {
    var result: [RecordedStep] = []
    var last = timed.first?.time ?? 0
    for (step, time) in timed {
      let pause = ((time - last) / 10).rounded() * 10
      if pause >= Self.shortestPause, pause < Self.longestPause {
        result.append(.wait(Int64(pause)))
        last += pause
      }
      result.append(step)
    }
    return result
  }
}
