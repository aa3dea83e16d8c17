import CPostgres
import Foundation

/// Waits for answers of PostgreSQL with a time limit. libpq itself waits as long as the other machine is up, even if PostgreSQL there does
/// not answer. The connection must be nonblocking, so that sending is limited too.
enum PostgresAnswer {
  /// Sends queued data and waits until `PQgetResult` returns without waiting, with an answer or because the connection broke. False if the
  /// time ran out first.
  static func isThere(on connection: OpaquePointer, until end: ContinuousClock.Instant?) -> Bool {
    while true {
      let isSending = PQflush(connection) == 1
      guard PQisBusy(connection) == 1 else { return true }
      let rest = end.map { max(.zero, $0 - .now) }
      var polled = pollfd(fd: PQsocket(connection), events: Int16(isSending ? POLLIN | POLLOUT : POLLIN), revents: 0)
      guard polled.fd >= 0 else { return true }
      if poll(&polled, 1, rest.map { CInt(clamping: $0.milliseconds + 1) } ?? -1) == 0 { return false }
      guard PQconsumeInput(connection) == 1 else { return true }
    }
  }

  /// The last result of a command that was sent outside of pipeline mode. Nil when the time runs out, or when nothing was sent; then the
  /// connection cannot be used any longer.
  static func last(on connection: OpaquePointer, within limit: Duration?) -> PostgresResult? {
    let end = limit.map { ContinuousClock.now + $0 }
    var last: PostgresResult?
    while isThere(on: connection, until: end) {
      guard let handle = PQgetResult(connection) else { return last }
      last = PostgresResult(handle)
      switch PQresultStatus(handle) {
      // In these states PQgetResult would return results without end.
      case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH: return last
      default: continue
      }
    }
    return nil
  }
}
