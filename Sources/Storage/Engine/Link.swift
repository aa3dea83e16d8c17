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
        worker.refuseLate(among: &waiting, because: error.cause.message)
        var queued = worker.queue.remove { $0.hasWaited(longerThan: worker.configuration.waitLimit) }
        worker.refuseLate(among: &queued, because: error.cause.message)
        guard !waiting.isEmpty, !worker.queue.hasClosed else {
          worker.queue.endWork()
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
}
