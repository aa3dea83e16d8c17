import Logging

/// A channel of PostgreSQL's LISTEN and NOTIFY, on a connection and a thread of its own.
///
/// Notifications hint at what is in the database and may get lost: with the connection, or when more are waiting than the
/// limits allow. After `.connected` a listener looks at everything itself.
package final class NotificationChannel: Sendable {
  package enum Event: Sendable, Hashable {
    /// Notifications arrive from now on. What was sent before may be lost: comes first, after each lost connection, and
    /// when events were not taken in time.
    case connected
    /// What another session sent. Those of this channel's own do not come back.
    case notified(String)
  }

  /// Events that nobody has taken yet, beyond which the oldest are dropped.
  package static let eventLimit = 4096
  /// Payloads that wait to be sent, beyond which the oldest are dropped.
  package static let outboxLimit = 1024
  /// Of a payload, in bytes: PostgreSQL takes less than 8000.
  package static let payloadLimit = 7999

  /// What happens on the channel, for one consumer. It ends with `close`.
  package let events: AsyncStream<Event>
  private let outbox: NotificationOutbox
  private let thread: DedicatedThread

  /// Throws `.other` when the process has no file descriptor left. Connects in the background, for as long as it takes.
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

  /// Sends a payload to all that listen, soon and outside of any transaction. Returns at once. Equal payloads that wait
  /// are sent once; more than `outboxLimit` push the oldest out, and what is longer than `payloadLimit` bytes or contains
  /// NUL is not sent.
  package func notify(_ payload: String) {
    guard payload.utf8.count <= Self.payloadLimit, !payload.hasNUL else { return }
    outbox.put(payload)
  }

  /// Ends the connection and the events; returns when the thread has ended, which may take as long as connecting may.
  /// What waits is not sent.
  package func close() async {
    outbox.close()
    await thread.join()
  }
}

extension Database {
  /// A channel that this process and others on the same database share by its name. The caller closes it. Nil on
  /// SQLite, where there is one process only. Throws `StorageError(.other)` when no file can be opened any more.
  package func makeNotificationChannel(_ name: String) throws -> NotificationChannel? {
    try source.makeNotificationChannel(name)
  }
}
