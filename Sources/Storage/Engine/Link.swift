import Logging

/// The connection of one thread, opened again when it is lost.
final class Link {
  private var connection: (any Connection)?
  private let worker: Worker
  private var backoff: Duration

  init(_ connection: (any Connection)?, _ worker: Worker) {
    self.connection = connection
    self.worker = worker
    backoff = worker.configuration.reconnectBackoffMin
  }

  /// A connection that works. While there is none, work whose patience ends fails; nil when none is left.
  func connect(for waiting: inout [PendingWork]) -> (any Connection)? {
    while true {
      if let connection, connection.isUsable { return connection }
      close()
      do {
        connection = try worker.source.open(worker.access)
        backoff = worker.configuration.reconnectBackoffMin
        worker.logger.debug("database connection is open")
      } catch {
        expire(&waiting, error.cause)
        guard !waiting.isEmpty, !worker.queue.hasClosed else {
          for work in waiting { work.fail(StorageError(.connectionLost, error.cause.message)) }
          return nil
        }
        worker.queue.sleep(for: backoff * Double.random(in: 0.5...1))
        backoff = min(backoff * 2, worker.configuration.reconnectBackoffMax)
      }
    }
  }

  func close() {
    connection?.close()
    connection = nil
  }

  private func expire(_ waiting: inout [PendingWork], _ cause: StorageError) {
    let latest = ContinuousClock.now - worker.configuration.disconnectedWait
    let hasExpired: (PendingWork) -> Bool = { $0.queuedAt <= latest }
    for work in waiting.filter(hasExpired) + worker.queue.remove(where: hasExpired) {
      work.fail(StorageError(.connectionLost, cause.message))
    }
    waiting.removeAll(where: hasExpired)
  }
}
