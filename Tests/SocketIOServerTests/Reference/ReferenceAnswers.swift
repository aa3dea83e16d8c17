import Foundation
import Testing

/// The reference server's answers, line by line: a probe's name, and its outcome.
struct ReferenceAnswers {
  struct Line {
    let section: String
    let text: String
  }

  let lines: [Line]

  init() {
    var section = ""
    var lines: [Line] = []
    let file = String(decoding: PackageResources.reference_wire_txt, as: UTF8.self)
    for line in file.split(separator: "\n") {
      if line.hasPrefix("# ---- ") {
        section = String(line.dropFirst(7))
      } else {
        lines.append(Line(section: section, text: String(line)))
      }
    }
    self.lines = lines
  }

  /// Normalises ids, the order of header fields, and lists.
  static func canonical(_ outcome: String) throws -> String {
    var outcome = outcome.replacing(/(\\*"sid\\*":\\*")[A-Za-z0-9_-]{20}/) { "\($0.output.1)SID" }
    if let range = outcome.range(of: "' {\"") {
      let fields = try JSONDecoder().decode([String: [String]].self, from: Data(outcome[range.upperBound...].braced))
      outcome = outcome[..<range.lowerBound] + "' " + text(fields)
    } else if outcome.hasSuffix("']"), let range = outcome.range(of: "['") {
      let items = outcome[range.upperBound...].dropLast(2).components(separatedBy: "', '")
      outcome = outcome[..<range.lowerBound] + text(items)
    }
    return outcome
  }

  static func text(_ fields: [String: [String]]) -> String {
    fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.joined(separator: ", "))" }.joined(separator: "; ")
  }

  static func text(_ items: [String]) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    let quoted = items.map { (try? encoder.encode($0)).map { String(decoding: $0, as: UTF8.self) } ?? "" }
    return "[\(quoted.joined(separator: ", "))]"
  }
}

extension Substring {
  fileprivate var braced: [UInt8] { Array("{\"\(self)".utf8) }
}

/// Compares the outcomes of a replay with the reference's answers, one after another.
final class Replay {
  let process: EchoProcess
  private let differences: [String: Difference]
  private var rest: ArraySlice<ReferenceAnswers.Line>
  private(set) var met: Set<String> = []

  init(_ answers: ReferenceAnswers, _ differences: [String: Difference], _ process: EchoProcess) {
    self.process = process
    self.differences = differences
    rest = answers.lines[...]
  }

  var port: Int { process.port }

  var isComplete: Bool { rest.isEmpty }

  /// The messages expected by the next probe: the reference's, or ours where they differ.
  func messages(_ name: String) throws -> [String] {
    let (key, reference) = try next(name)
    let outcome = differences[key]?.ours ?? reference
    guard let start = outcome.firstIndex(of: "[") else { return [] }
    return try JSONDecoder().decode([String].self, from: Data(outcome[start...].utf8))
  }

  /// Compares the outcome of the next probe.
  func saw(_ name: String, _ outcome: String) throws {
    let (key, reference) = try next(name)
    rest.removeFirst()
    let outcome = try ReferenceAnswers.canonical(outcome)
    guard let difference = differences[key] else {
      #expect(outcome == reference, "\(key)")
      return
    }
    met.insert(key)
    #expect(outcome == difference.ours, "\(key)")
    #expect(outcome != reference, "\(key) is accounted for, and no longer differs")
  }

  private func next(_ name: String) throws -> (key: String, outcome: String) {
    let line = try #require(rest.first, "there is no answer to '\(name)'")
    try #require(line.text.hasPrefix(name), "'\(line.text)' is not the answer to '\(name)'")
    let outcome = line.text.dropFirst(name.count).trimmingCharacters(in: .whitespaces)
    return ("\(line.section): \(name.trimmingCharacters(in: .whitespaces))", try ReferenceAnswers.canonical(outcome))
  }
}

/// A probe with a different answer, and why that is better.
struct Difference {
  let ours: String
  let why: String
}
