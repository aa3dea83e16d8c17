import CPostgres
import Foundation
import Logging

/// The loop of a notification channel's thread: keeps a listening connection, delivers arriving payloads, sends waiting ones.
struct NotificationListener: Sendable {
  let name: String
  let url: String
  let configuration: DatabaseConfiguration
  let logger: Logger
  let outbox: NotificationOutbox
  let wakeUp: WakeUp
  let report: @Sendable (NotificationChannel.Event) -> Void

  /// Payloads in one statement, and so in one transaction: each transaction briefly locks the queue of the whole server.
  private static let batch = 100
  private var answerLimit: Duration { .seconds(configuration.connectSeconds) }

  /// Returns when the channel is closed.
  func run() {
    var backoff = configuration.reconnectBackoffMin
    // The notices must outlive each connection.
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
    guard let identifier = PQescapeIdentifier(connection, name, name.utf8.count) else {
      throw PostgresOpening.failure(of: connection)
    }
    defer { PQfreemem(identifier) }
    // A hint need not survive a crash, so it waits neither for the disk nor for a replica.
    try PostgresOpening.run("SET synchronous_commit = off", on: connection, within: answerLimit)
    try PostgresOpening.run("LISTEN \(String(cString: identifier))", on: connection, within: answerLimit)
  }

  /// Sends all waiting payloads, delivers all that have arrived, then waits for either.
  private func exchange(over connection: OpaquePointer) throws(EngineFailure) {
    while case let payloads = outbox.take(upTo: Self.batch), !payloads.isEmpty { try send(payloads, over: connection) }
    // Payloads that came with the answer to a statement are no longer in the socket.
    deliver(from: connection)
    let begin = ContinuousClock.now
    wakeUp.wait(orReadable: PQsocket(connection), for: configuration.listenerCheckInterval)
    if .now - begin >= configuration.listenerCheckInterval {
      try PostgresOpening.run("SELECT 1", on: connection, within: answerLimit)
    }
    guard PQconsumeInput(connection) == 1 else { throw PostgresOpening.failure(of: connection) }
    deliver(from: connection)
  }

  private func send(_ payloads: [String], over connection: OpaquePointer) throws(EngineFailure) {
    let rows = payloads.indices.map { "($\($0 + 2))" }.joined(separator: ", ")
    let parameters = ([name] + payloads).map { SQL.Parameter(value: .text($0), type: .text) }
    let types = PostgresParameters.types(parameters)
    let sent = PostgresParameters(parameters).withPointers { values, lengths, formats in
      PQsendQueryParams(
        connection, "SELECT pg_notify($1, payload) FROM (VALUES \(rows)) AS waiting (payload)", CInt(values.count),
        types, values, lengths, formats, 0)
    }
    guard sent == 1 else { throw PostgresOpening.failure(of: connection) }
    // A failure with a working connection, such as a full queue at the server, loses only these hints. The new connection makes all
    // listeners of this process read the data.
    try PostgresOpening.check(connection, within: answerLimit)
  }

  private func deliver(from connection: OpaquePointer) {
    while let notification = PQnotifies(connection) {
      defer { PQfreemem(notification) }
      guard notification.pointee.be_pid != PQbackendPID(connection) else { continue }
      report(.notified(String(cString: notification.pointee.extra)))
    }
  }

  /// Sleeps for the whole time, or until the channel is closed. New payloads do not shorten it.
  private func pause(for duration: Duration) {
    let end = ContinuousClock.now + duration
    while !outbox.isClosed, case let rest = end - .now, rest > .zero { wakeUp.wait(for: rest) }
  }
}
