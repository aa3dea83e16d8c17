import Logging

/// A channel of PostgreSQL's LISTEN and NOTIFY, on its own connection and thread.
///
/// Notifications are hints about data in the database. They may get lost, with the connection or when more wait than the limits allow.
/// After `.connected`, a listener must read the data itself.
package final class NotificationChannel: Sendable {
  package enum Event: Sendable, Hashable {
    /// Notifications arrive from now on; earlier ones may be lost. Sent first, after each lost connection, and when events were dropped.
    case connected
    /// A payload from another session. Payloads of this channel do not come back.
    case notified(String)
  }

  /// Limit of events that were not consumed; beyond it the oldest are dropped.
  package static let eventLimit = 4096
  /// Limit of payloads that wait to be sent; beyond it the oldest are dropped.
  package static let outboxLimit = 1024
  /// The largest payload, in bytes. PostgreSQL accepts less than 8000.
  package static let payloadLimit = 7999

  /// The events, for one consumer. The stream ends with `close`.
  package let events: AsyncStream<Event>
  private let outbox: NotificationOutbox
  private let thread: DedicatedThread

  /// Throws `.other` when the process has no file descriptor left. Connects in the background, and retries until it succeeds.
  init(
    _ name: String, url: String, _ configuration: DatabaseConfiguration, _ logger: Logger
  ) throws(StorageError) {
    guard let wakeUp = WakeUp() else { throw StorageError(.other, "no pipe: too many open files") }
    let (events, continuation) = AsyncStream.makeStream(
      of: Event.self, bufferingPolicy: .bufferingNewest(Self.eventLimit))
    let outbox = NotificationOutbox(limit: Self.outboxLimit, wakeUp)
    let listener = NotificationListener(
      name: name, url: url, configuration: configuration, logger: logger, outbox: outbox, wakeUp: wakeUp
    ) { event in
      guard case .dropped = continuation.yield(event) else { return }
      continuation.yield(.connected)
    }
    self.events = events
    self.outbox = outbox
    thread = DedicatedThread(name: "db-listener") {
      listener.run()
      continuation.finish()
    }
  }

  deinit {
    outbox.close()
  }

  /// Queues a payload for all listeners and returns at once; it is sent soon, outside of any transaction. Equal payloads that wait are sent
  /// once. Beyond `outboxLimit` the oldest are dropped. A payload longer than `payloadLimit` bytes, or with NUL, is ignored.
  package func notify(_ payload: String) {
    guard payload.utf8.count <= Self.payloadLimit, !payload.hasNUL else { return }
    outbox.put(payload)
  }

  /// Closes the connection and ends the events. Waiting payloads are discarded. Returns when the thread has ended, which may take as long
  /// as opening a connection.
  package func close() async {
    outbox.close()
    await thread.join()
  }
}
