import Foundation
import Logging

/// The format of log lines.
enum LogFormat: String, CaseIterable {
  case text, json
}

/// One line of the log.
struct LogLine {
  var time = Date.now
  let level: Logger.Level
  let label: String
  let source: String
  let message: String
  let metadata: Logger.Metadata

  /// A line that says how many lines were dropped before it.
  static func ofDropped(_ count: Int) -> LogLine {
    LogLine(
      level: .warning, label: "madang", source: "madang",
      message: "log lines were dropped: the program that reads them is too slow, or the disk is full",
      metadata: ["lines": "\(count)"])
  }

  /// The line with its newline. Control characters are escaped, so that no value can start a line of its own.
  /// - Parameter isForJournal: Whether systemd's journal reads the line; then it starts with its priority.
  func bytes(_ format: LogFormat, isForJournal: Bool) -> [UInt8] {
    let line =
      switch format {
      case .text: Array(text.utf8)
      case .json: json
      }
    return (isForJournal ? Array(JournalPriority(level).prefix.utf8) : []) + line + [UInt8(ascii: "\n")]
  }

  private var text: String {
    let values = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    return "\(Self.stamp(time)) \(level) \(label):\(values) [\(source)] \(message)".escapingControls
  }

  /// For example `2026-11-28T09:05:01+0900`, in the local time zone.
  private static func stamp(_ time: Date) -> String {
    var (seconds, parts) = (time_t(time.timeIntervalSince1970), tm())
    localtime_r(&seconds, &parts)
    var buffer = [CChar](repeating: 0, count: 64)
    let count = strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%S%z", &parts)
    return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// An object `{"label","level","message","metadata"?,"source","time"}`. Values of metadata are text, lists and objects.
  private var json: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let object = JSONObject(
      time: time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)), level: level.rawValue,
      label: label, source: source, message: message,
      metadata: metadata.isEmpty ? nil : metadata.mapValues(JSONObject.Value.init))
    return (try? encoder.encode(object)).map { Array($0) } ?? []
  }

  private struct JSONObject: Encodable {
    let time: String
    let level: String
    let label: String
    let source: String
    let message: String
    let metadata: [String: Value]?

    enum Value: Encodable {
      case text(String)
      case list([Value])
      case object([String: Value])

      init(_ value: Logger.MetadataValue) {
        switch value {
        case .string(let text): self = .text(text)
        case .stringConvertible(let value): self = .text(value.description)
        case .array(let values): self = .list(values.map(Value.init))
        case .dictionary(let values): self = .object(values.mapValues(Value.init))
        }
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .list(let values): try container.encode(values)
        case .object(let values): try container.encode(values)
        }
      }
    }
  }
}

extension String {
  /// Control characters as `\n`, `\r`, `\t` or `\u{1B}`. Backslashes are not escaped, because people read these lines.
  fileprivate var escapingControls: String {
    guard unicodeScalars.contains(where: \.isControl) else { return self }
    var escaped = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if scalar.isControl { escaped += scalar.escaped(asASCII: true).unicodeScalars } else { escaped.append(scalar) }
    }
    return String(escaped)
  }
}

extension Unicode.Scalar {
  /// Includes the separators of lines and paragraphs.
  fileprivate var isControl: Bool {
    properties.generalCategory == .control || value == 0x2028 || value == 0x2029
  }
}
