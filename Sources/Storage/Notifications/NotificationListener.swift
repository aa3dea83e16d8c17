import CPostgres
import Foundation
import Logging

/// What the thread of a notification channel does: keeps a connection that listens, hands over what arrives, sends what
/// waits.
struct NotificationListener: Sendable {
  let name: String
  let url: String
  let configuration: DatabaseConfiguration
  let logger: Logger
  let outbox: NotificationOutbox
  let wakeUp: WakeUp
  let report: @Sendable (NotificationChannel.Event) -> Void

  /// As many travel in one statement, and so in one transaction: each locks the queue of the whole server for a moment.
  private static let batch = 100

  /// Returns when the channel is closed.
  func run() {
    var backoff = configuration.reconnectBackoffMin
    // It must outlive each connection.
    let notices = PostgresNotices(logger)
    while !outbox.isClosed {
      do throws(EngineFailure) {
        let connection = try PostgresOpening.open(url: url, configuration, notices)
        defer { PQfinish(connection) }
        try listen(on: connection)
        backoff = configuration.reconnectBackoffMin
        report(.connected)
        while !outbox.isClosed { try exchange(over: connection) }
      } catch {
        logger.warning("no notifications: the connection is lost", metadata: ["cause": "\(error.cause.message)"])
        pause(for: backoff * Double.random(in: 0.5...1))
        backoff = min(backoff * 2, configuration.reconnectBackoffMax)
      }
    }
  }

  private func listen(on connection: OpaquePointer) throws(EngineFailure) {
    guard let identifier = PQescapeIdentifier(connection, name, name.utf8.count) else { throw lost(connection) }
    defer { PQfreemem(identifier) }
    let result = PQexec(connection, "LISTEN \(String(cString: identifier))")
    defer { PQclear(result) }
    guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw lost(connection) }
  }

  /// Sends all that waits, hands over all that is there, then waits for more of either.
  private func exchange(over connection: OpaquePointer) throws(EngineFailure) {
    while case let payloads = outbox.take(upTo: Self.batch), !payloads.isEmpty { try send(payloads, over: connection) }
    // What came with the answer to a statement is no longer in the socket.
    deliver(from: connection)
    wakeUp.wait(orReadable: PQsocket(connection))
    guard PQconsumeInput(connection) == 1 else { throw lost(connection) }
    deliver(from: connection)
  }

  private func send(_ payloads: [String], over connection: OpaquePointer) throws(EngineFailure) {
    let rows = payloads.indices.map { "($\($0 + 2))" }.joined(separator: ", ")
    let parameters = ([name] + payloads).map { SQL.Parameter(value: .text($0), type: .text) }
    let types = PostgresParameters.types(parameters)
    let result = PostgresParameters(parameters).withPointers { values, lengths, formats in
      PQexecParams(
        connection, "SELECT pg_notify($1, payload) FROM (VALUES \(rows)) AS waiting (payload)", CInt(values.count),
        types,
        values, lengths, formats, 0)
    }
    defer { PQclear(result) }
    // A failure without a lost connection, such as a full queue of the server, costs these hints only; the new
    // connection tells everybody here to look for themselves.
    guard PQresultStatus(result) == PGRES_TUPLES_OK else { throw lost(connection) }
  }

  private func deliver(from connection: OpaquePointer) {
    while let notification = PQnotifies(connection) {
      defer { PQfreemem(notification) }
      guard notification.pointee.be_pid != PQbackendPID(connection) else { continue }
      report(.notified(String(cString: notification.pointee.extra)))
    }
  }

  /// Not shortened by payloads, only by closing.
  private func pause(for duration: Duration) {
    let end = ContinuousClock.now + duration
    while !outbox.isClosed, case let rest = end - .now, rest > .zero { wakeUp.wait(for: rest) }
  }

  private func lost(_ connection: OpaquePointer) -> EngineFailure {
    EngineFailure(StorageError(.connectionLost, String(cString: PQerrorMessage(connection))))
  }
}
