import Foundation

/// How values of a setting are written as text.
package struct SettingForm<Value>: Sendable {
  private let parse: @Sendable (String) throws(InvalidSetting) -> Value
  /// The value as it would be read.
  package let write: @Sendable (Value) -> String

  package init(
    parse: @escaping @Sendable (String) throws(InvalidSetting) -> Value, write: @escaping @Sendable (Value) -> String
  ) {
    (self.parse, self.write) = (parse, write)
  }

  /// - Parameters:
  ///   - cure: What to write instead of a text that cannot be read.
  ///   - read: Nil for such a text.
  package init(
    _ cure: String, read: @escaping @Sendable (String) -> Value?, write: @escaping @Sendable (Value) -> String
  ) {
    self.init(
      parse: { text throws(InvalidSetting) in
        guard let value = read(text) else { throw .text(cure: cure) }
        return value
      }, write: write)
  }

  func read(_ text: String) throws(InvalidSetting) -> Value {
    if let control = text.unicodeScalars.first(where: { $0.properties.generalCategory == .control }) {
      throw .control(control)
    }
    return try parse(text)
  }
}

package enum InvalidSetting: Error {
  case text(cure: String)
  case control(Unicode.Scalar)

  /// - Parameter text: What was written, as it may be shown.
  func words(_ text: String) -> String {
    switch self {
    case .text(let cure): return "'\(text)' is not valid; \(cure)"
    case .control(let control):
      let code = String(control.value, radix: 16, uppercase: true)
      let name =
        ["D": "a carriage return, as at the end of lines from Windows", "A": "a line feed"][code]
        ?? "a control character"
      return
        "has \(name) (U+\(String(repeating: "0", count: 4 - code.count))\(code)), which settings may not have; remove it"
    }
  }
}

extension SettingForm where Value == String {
  package static var text: Self { Self("", read: { $0 }, write: { $0 }) }
}

extension SettingForm where Value == String? {
  /// Nil for an empty text.
  package static var textOrNone: Self { Self("", read: { .some($0.isEmpty ? nil : $0) }, write: { $0 ?? "" }) }
}

extension SettingForm where Value == Int {
  package static func integer(_ range: ClosedRange<Int> = 0...Int.max) -> Self {
    Self(
      "write a whole number from \(range.lowerBound)\(range.upperBound == .max ? "" : " to \(range.upperBound)")",
      read: { Int($0).flatMap { range.contains($0) ? $0 : nil } }, write: { String($0) })
  }

  package static func integer(_ range: PartialRangeFrom<Int>) -> Self { integer(range.lowerBound...Int.max) }
}

extension SettingForm where Value == Int64 {
  /// Milliseconds, written as seconds, or as a ``LengthOfTime`` of whole seconds.
  package static func seconds(_ range: ClosedRange<Int64>) -> Self {
    seconds(
      range, cure: "write whole seconds from \(range.lowerBound) to \(range.upperBound), or a time like 90s or 10m")
  }
  package static var seconds: Self {
    seconds(0...(1 << 40 - 1), cure: "write whole seconds, or a time like 90s or 10m")
  }

  private static func seconds(_ range: ClosedRange<Int64>, cure: String) -> Self {
    Self(
      cure, read: { wholeSeconds($0).flatMap { range.contains($0) ? $0 * 1000 : nil } },
      write: { String($0 / 1000) })
  }
}

extension SettingForm where Value == Int {
  /// Whole seconds, written as a number or as a ``LengthOfTime``.
  package static func seconds(_ range: ClosedRange<Int>) -> Self {
    Self(
      "write a whole number from \(range.lowerBound) to \(range.upperBound), or a time like 90s or 10m",
      read: { wholeSeconds($0).flatMap { Int(exactly: $0) }.flatMap { range.contains($0) ? $0 : nil } },
      write: { String($0) })
  }
}

extension SettingForm where Value == Duration {
  /// A ``LengthOfTime``.
  package static func duration(_ range: ClosedRange<Duration>) -> Self {
    let text: @Sendable (Duration) -> String = { LengthOfTime.text(ofMilliseconds: $0.wholeMilliseconds) }
    return Self(
      "write a time from \(text(range.lowerBound)) to \(text(range.upperBound)), like 1.5s or 800ms",
      read: { LengthOfTime.milliseconds($0).map { .milliseconds($0) }.flatMap { range.contains($0) ? $0 : nil } },
      write: text)
  }
}

/// The seconds of a number of seconds, or of a length of time; nil if it is none, or has a fraction.
private func wholeSeconds(_ text: String) -> Int64? {
  if let seconds = Int64(text) { return seconds }
  guard let milliseconds = LengthOfTime.milliseconds(text), milliseconds.isMultiple(of: 1000) else { return nil }
  return milliseconds / 1000
}

extension SettingForm where Value == Bool {
  package static var flag: Self {
    Self(
      "write true or false", read: { ["true": true, "1": true, "false": false, "0": false][$0] },
      write: { String($0) })
  }
}

extension SettingForm where Value: RawRepresentable<String> & CaseIterable & Sendable {
  /// One of a few words.
  package static var word: Self {
    let words = Value.allCases.map(\.rawValue)
    let list =
      words.count < 2 ? words.joined() : words.dropLast().joined(separator: ", ") + " or " + words[words.count - 1]
    return Self("write \(list)", read: { Value(rawValue: $0) }, write: \.rawValue)
  }
}

extension SettingForm where Value == [String] {
  /// Texts with commas between them; blanks around them do not count.
  package static var list: Self {
    Self(
      "", read: { $0.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } },
      write: { $0.joined(separator: ",") })
  }
}

extension SettingForm where Value == Set<String> {
  package static var set: Self {
    Self("", read: { Set($0.split(separator: ",").map(String.init)) }, write: { $0.sorted().joined(separator: ",") })
  }
}
