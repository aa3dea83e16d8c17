import MadangCore

/// What people do by themselves in a world: when, how often, and in which steps (docs/reference/dev.md).
package struct Script: Sendable {
  /// The most scripts of a server.
  package static let limit = 100
  /// The most steps of a script: hours of a client that was recorded.
  static let maxSteps = 10_000
  /// The default for the largest number of runs.
  static let defaultTimes = 1000
  static let maxTimes = 1_000_000
  /// The highest rate, in runs a second.
  static let maxRate: Int64 = 1000

  /// What starts its runs.
  enum Trigger: Sendable {
    /// Each run starts after the previous one.
    case start
    case chat(Pattern)
    case rate(Rate)
  }

  /// The chats that a script reacts to.
  struct Pattern: Sendable {
    /// Nil for all people who do not act in the script.
    var from: [String]?
    var place: Place?
    /// Direct messages to a person.
    var to: String?
    var text: TextPattern?
  }

  /// A number of runs per time.
  struct Rate: Sendable, Equatable {
    let runs: Int64
    /// Milliseconds.
    let span: Int64

    /// Like `5/s`, `30/m`.
    init?(_ text: String) {
      let parts = text.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 2, parts[1].allSatisfy(\.isLetter), let runs = Int64(parts[0]), runs > 0,
        let span = LengthOfTime.milliseconds("1\(parts[1])", needsUnit: true), runs <= Script.maxRate * span / 1000
      else { return nil }
      (self.runs, self.span) = (runs, span)
    }

    /// The start of a run, in milliseconds after the first.
    func moment(ofRun number: Int) -> Int64 { Int64(number - 1) * span / runs }

    /// At most ``Script/maxTimes``.
    func runs(within time: Int64) -> Int {
      let (product, overflows) = time.multipliedReportingOverflow(by: runs)
      return overflows ? Script.maxTimes : Int(min((product - 1) / span + 1, Int64(Script.maxTimes)))
    }
  }

  /// The people for steps without one, in turn, run by run.
  enum Cast: Sendable {
    case named([String])
    case everybody
  }

  struct Step: Sendable {
    enum Kind: Sendable {
      /// Without a target: to the place of the chat that started the run.
      case post(String, to: Act.Target?, files: Int)
      case join(Place)
      case leave(Place)
      /// Any operation of the API.
      case call(PersonCall)
      /// Milliseconds.
      case wait(Int64)
    }

    let person: String?
    let kind: Kind
  }

  /// A mention of a person.
  struct Mention: Sendable {
    let person: String
    let field: String
    /// The line in the text.
    let line: Int
  }

  static let nameRule = "must have 1 to 100 characters without /, and not be . or .."

  /// Whether a text can be the name of a script. Clients take . and .. out of paths.
  static func isName(_ text: String) -> Bool {
    (1...100).contains(text.count) && !text.contains("/") && ![".", ".."].contains(text)
  }

  package let name: String
  /// All people whom it names.
  var mentions: [Mention] = []
  var trigger = Trigger.start
  /// Milliseconds between the chat and the first step.
  var delay: Int64 = 0
  var cast: Cast?
  var times = Script.defaultTimes
  var startsAtOnce = false
  var steps: [Step] = []

  /// All people who act in it, each once.
  var actors: [String] {
    var names = Set(steps.compactMap(\.person))
    if case .named(let cast) = cast { names.formUnion(cast) }
    return names.sorted()
  }
}
