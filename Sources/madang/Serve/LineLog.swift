import Logging

/// A log handler that passes each line as a value to a function.
struct LineLog: LogHandler {
  private let label: String
  private let take: @Sendable (LogLine) -> Void
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata = [:]

  init(label: String, _ take: @escaping @Sendable (LogLine) -> Void) { (self.label, self.take) = (label, take) }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    take(
      LogLine(
        level: event.level, label: label, source: event.source, message: "\(event.message)",
        metadata: metadata.merging(event.metadata ?? [:]) { $1 }))
  }
}
