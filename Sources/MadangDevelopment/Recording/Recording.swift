import MadangCore

/// A script that does what clients did.
package struct Recording: Sendable {
  /// Why a call became no step.
  enum LeftOut: String, CaseIterable {
    case read = "reads"
    case session = "calls about sessions, devices, passwords and payments"
    case refused = "refused calls"
    case replaced = "calls that a fault answered"
    case cut = "calls whose body was not kept whole"
    case ofOthers = "calls of other people"
    case foreign = "requests that are no call of the API"
    case unnamed = "chats in rooms without a name"
  }

  /// For programs.
  package struct Summary: Codable, Sendable {
    /// The script's name.
    package let name: String
    /// Steps without pauses.
    package let steps: Int
    /// E-mails of the people who do them.
    package let people: [String]
    /// How many calls became no step, by reason.
    package let leftOut: [String: Int]
  }

  let name: String
  let steps: [RecordedStep]
  let leftOut: [LeftOut: Int]
  /// What a reader of the script should know.
  let remarks: [String]
  /// The shortest unique name of each e-mail.
  let shortNames: [String: String]

  package var summary: Summary {
    Summary(
      name: name, steps: steps.count { if case .wait = $0 { false } else { true } },
      people: Set(steps.compactMap(\.person)).sorted(),
      leftOut: Dictionary(uniqueKeysWithValues: leftOut.map { ($0.key.rawValue, $0.value) }))
  }

  private var head: [String] {
    let summary = summary
    let who = summary.people.isEmpty ? "" : " of " + summary.people.joined(separator: ", ")
    var lines = ["Recorded: \(summary.steps) step\(summary.steps == 1 ? "" : "s")\(who)."]
    if !leftOut.isEmpty { lines.append("Left out: \(Self.words(leftOut)).") }
    return lines + remarks
  }

  /// For people: `reads: 3, refused calls: 1`.
  static func words(_ leftOut: [LeftOut: Int]) -> String {
    LeftOut.allCases.compactMap { kind in leftOut[kind].map { "\(kind.rawValue): \($0)" } }.joined(separator: ", ")
  }

  /// The script as a part of a seed in YAML, with comments: `scripts:` with one script.
  package var text: String {
    // A line break in a name would end the comment.
    var out = SeedText(.yaml, head: head.map(\.inOneLine))
    out.openList("scripts")
    out.openItem()
    out.field("name", .text(name))
    out.openList("do")
    for step in steps { out.item(step.value { shortNames[$0] ?? $0 }) }
    out.closeList()
    out.closeItem()
    out.closeList()
    return String(decoding: out.take(), as: UTF8.self)
  }
}
