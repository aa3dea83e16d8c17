import Foundation
import Logging

/// Writes each line of the log as one JSON object: `{"label","level","message","metadata"?,"source","time"}`. Values of metadata are
/// text, lists and objects.
struct JSONLog: LogHandler {
  private struct Line: Encodable {
    let time: String
    let level: String
    let label: String
    let source: String
    let message: String
    let metadata: [String: Value]?
  }

  private enum Value: Encodable {
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

  private let label: String
  private let write: @Sendable (Data) -> Void
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata = [:]

  /// - Parameter write: Takes a whole line, its end included.
  init(label: String, _ write: @escaping @Sendable (Data) -> Void) { (self.label, self.write) = (label, write) }

  static func standardError(label: String) -> JSONLog {
    JSONLog(label: label) { line in
      // Nowhere is left to complain when standard error is closed.
      try? FileHandle.standardError.write(contentsOf: line)
    }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let metadata = metadata.merging(event.metadata ?? [:]) { $1 }
    let line = Line(
      time: Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)), level: event.level.rawValue,
      label: label, source: event.source, message: "\(event.message)",
      metadata: metadata.isEmpty ? nil : metadata.mapValues(Value.init))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let bytes = try? encoder.encode(line) else { return }
    write(bytes + Data([UInt8(ascii: "\n")]))
  }
}
