import Logging
import Synchronization

/// A level of the log that counts for all loggers of a program, and can be changed while they are used.
final class LiveLogLevel: Sendable {
  private let level: Mutex<Logger.Level>

  init(_ level: Logger.Level) { self.level = Mutex(level) }

  var now: Logger.Level {
    get { level.withLock(\.self) }
    set { level.withLock { $0 = newValue } }
  }

  /// What writes lines as `handler` does, but goes by this level.
  func heeded(by handler: any LogHandler) -> any LogHandler {
    var handler = handler
    // Lines come only once the level has let them.
    handler.logLevel = .trace
    return Handler(level: self, handler: handler, metadata: handler.metadata)
  }

  private struct Handler: LogHandler {
    let level: LiveLogLevel
    var handler: any LogHandler

    /// One logger has none of its own.
    var logLevel: Logger.Level {
      get { level.now }
      set {}
    }
    /// Of this logger. Handlers that write text would make text of it at once; every request has some, and few write a line.
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
