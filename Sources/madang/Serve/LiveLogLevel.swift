import Logging
import Synchronization

/// A log level that applies to all loggers of the program and can be changed while they are in use.
final class LiveLogLevel: Sendable {
  private let level: Mutex<Logger.Level>

  init(_ level: Logger.Level) { self.level = Mutex(level) }

  var now: Logger.Level {
    get { level.withLock(\.self) }
    set { level.withLock { $0 = newValue } }
  }

  /// A handler that writes like `handler` but filters by this level.
  func applied(to handler: any LogHandler) -> any LogHandler {
    var handler = handler
    // The wrapped handler must not filter again.
    handler.logLevel = .trace
    return Handler(level: self, handler: handler, metadata: handler.metadata)
  }

  private struct Handler: LogHandler {
    let level: LiveLogLevel
    var handler: any LogHandler

    /// A single logger has no level of its own.
    var logLevel: Logger.Level {
      get { level.now }
      set {}
    }
    /// This logger's metadata. It is kept here, because text handlers would format it at once; every request has some, but few write a
    /// line.
    var metadata: Logger.Metadata
    var metadataProvider: Logger.MetadataProvider? {
      get { handler.metadataProvider }
      set { handler.metadataProvider = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      var handler = handler
      handler.metadata = metadata
      handler.log(event: event)
    }
  }
}
