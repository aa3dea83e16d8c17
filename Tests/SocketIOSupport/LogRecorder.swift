package import Logging
import Synchronization

/// Keeps log lines at `info` and above, with their metadata.
package final class LogRecorder: Sendable {
  private let recorded = Mutex<[String]>([])

  package init() {}

  package var lines: [String] { recorded.withLock { $0 } }

  package var logger: Logger {
    Logger(label: "test", factory: { _ in Handler(recorder: self) })
  }

  private struct Handler: LogHandler {
    let recorder: LogRecorder
    var metadata = Logger.Metadata()
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let fields = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      let line = ([event.message.description] + fields).joined(separator: " ")
      recorder.recorded.withLock { $0.append(line) }
    }
  }
}
