import CPostgres
import Foundation

/// Waits for what PostgreSQL answers, for a limited time. libpq by itself waits as long as the other machine lives, even if
/// PostgreSQL there does not answer any more. The connection must be nonblocking, so that sending is limited, too.
enum PostgresAnswer {
  /// Sends what is queued and waits until `PQgetResult` returns without waiting; it also tells when the connection broke.
  /// False when the time was over before.
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

  /// The last result of what was sent outside of pipeline mode. Nil when the time was over before, and when nothing was sent:
  /// the connection is of no use then.
  static func last(on connection: OpaquePointer, within limit: Duration?) -> PostgresResult? {
    let end = limit.map { ContinuousClock.now + $0 }
    var last: PostgresResult?
    while isThere(on: connection, until: end) {
      guard let handle = PQgetResult(connection) else { return last }
      last = PostgresResult(handle)
      switch PQresultStatus(handle) {
      // There would be no end of them.
      case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH: return last
      default: continue
      }
    }
    return nil
  }
}
