import MadangCore

/// What people do by themselves in a world: when, how often, and in which steps (docs/reference/dev.md).
package struct Script: Sendable {
  /// The most scripts of a server.
  package static let limit = 100
  static let maxSteps = 100
  /// How often a script runs at most where it does not say.
  static let defaultTimes = 1000
  static let maxTimes = 1_000_000
  /// The highest rate, in runs a second.
  static let maxRate: Int64 = 1000

  /// What begins its runs.
  enum Occasion: Sendable {
    /// Runs follow each other.
    case start
    case chat(Pattern)
    case rate(Rate)
  }

  /// Which chats a script is for.
  struct Pattern: Sendable {
    /// Nil for everybody who does not act in the script.
    var from: [String]?
    var place: Place?
    /// Direct messages to somebody.
    var to: String?
    var text: TextPattern?
  }

  /// So many runs in a time.
  struct Rate: Sendable, Equatable {
    let runs: Int64
    /// Milliseconds.
    let span: Int64

    /// Like `5/s`, `30/m`.
    init?(_ text: String) {
      let parts = text.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 2, parts[1].allSatisfy(\.isLetter), let runs = Int64(parts[0]), runs > 0,
        let span = SeedTime.distance("1\(parts[1])"), runs <= Script.maxRate * span / 1000
      else { return nil }
      (self.runs, self.span) = (runs, span)
    }

    /// When a run begins, in milliseconds after the first.
    func moment(ofRun number: Int) -> Int64 { Int64(number - 1) * span / runs }

    /// At most ``Script/maxTimes``.
    func runs(within time: Int64) -> Int {
      let (product, overflows) = time.multipliedReportingOverflow(by: runs)
      return overflows ? Script.maxTimes : Int(min((product - 1) / span + 1, Int64(Script.maxTimes)))
    }
  }

  /// Who acts where a step does not say: one after the other, run by run.
  enum Cast: Sendable {
    case named([String])
    case everybody
  }

  struct Step: Sendable {
    enum Kind: Sendable {
      /// To the place of the chat that began the run, where there is no target.
      case post(String, to: Act.Target?, files: Int)
      case join(Place)
      case leave(Place)
      /// Milliseconds.
      case wait(Int64)
    }

    let person: String?
    let kind: Kind
  }

  /// Where somebody is named.
  struct Mention: Sendable {
    let person: String
    let field: String
    /// Of the text.
    let line: Int
  }

  package let name: String
  /// Everybody whom it names, in whatever part.
  var mentions: [Mention] = []
  var occasion = Occasion.start
  /// Milliseconds between the occasion and the first step.
  var delay: Int64 = 0
  var cast: Cast?
  var times = Script.defaultTimes
  var startsAtOnce = false
  var steps: [Step] = []

  /// Everybody whom it names as acting.
  var actors: [String] {
    var names = steps.compactMap(\.person)
    if case .named(let cast) = cast { names += cast }
    return names
  }
}
