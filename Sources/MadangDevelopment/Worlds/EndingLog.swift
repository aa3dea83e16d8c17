import Logging
import Synchronization

/// Forwards the log of a world's server, except the HTTP server's lines about connections that were cut off at the world's
/// end, which is not a failure.
struct EndingLog: LogHandler {
  /// Whether a world has begun to end.
  final class Flag: Sendable {
    private let isSet = Atomic(false)

    func set() { isSet.store(true, ordering: .releasing) }

    fileprivate var value: Bool { isSet.load(ordering: .acquiring) }
  }

  private var handler: any LogHandler
  private let isEnding: Flag

  private init(_ handler: any LogHandler, _ isEnding: Flag) { (self.handler, self.isEnding) = (handler, isEnding) }

  static func around(_ logger: Logger, _ isEnding: Flag) -> Logger {
    Logger(label: logger.label) { _ in EndingLog(logger.handler, isEnding) }
  }

  func log(event: LogEvent) {
    guard !isEnding.value || event.source != "HummingbirdCore" else { return }
    handler.log(event: event)
  }

  var logLevel: Logger.Level {
    get { handler.logLevel }
    set { handler.logLevel = newValue }
  }

  var metadata: Logger.Metadata {
    get { handler.metadata }
    set { handler.metadata = newValue }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { handler[metadataKey: key] }
    set { handler[metadataKey: key] = newValue }
  }
}
