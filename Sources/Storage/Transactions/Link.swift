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

  /// Returns a working connection. While there is none, work that has waited too long fails; returns nil when no work is left.
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

  /// Keeps waiting for a COMMIT that was not answered, and refuses new work, until the answer arrives, the connection breaks, or the server
  /// that accepts writes does not know its session. Opening another connection for each write would leave one waiting session at the server
  /// each time, until the server has none left.
  func settle() {
    guard let waiting = connection, waiting.isUsable, !waiting.settles(within: .zero) else { return }
    worker.queue.beginWork()
    defer { worker.queue.endWork() }
    var nextCheck = ContinuousClock.now
    while !waiting.settles(within: min(.milliseconds(250), worker.configuration.commitCheckInterval)) {
      for work in worker.queue.remove(where: { _ in true }) {
        work.fail(StorageError(.connectionLost, "an earlier COMMIT got no answer"))
      }
      guard !worker.queue.hasClosed else { return close() }
      guard .now >= nextCheck else { continue }
      if leave(waiting) { return }
      nextCheck = .now + worker.configuration.commitCheckInterval
    }
    worker.logger.warning(
      waiting.isUsable ? "COMMIT got its late answer" : "the connection broke before COMMIT was answered")
  }

  /// Switches to a new connection if its server does not have the session of the old one.
  private func leave(_ old: any Connection) -> Bool {
    guard let new = try? worker.source.open(worker.access) else { return false }
    guard let isThere = try? new.sees(old), !isThere else {
      new.close()
      return false
    }
    worker.logger.warning("COMMIT was not answered, and the server that takes writes now does not know of it")
    close()
    connection = new
    return true
  }

  func close() {
    connection?.close()
    connection = nil
  }
}
