import CPostgres
import Foundation

/// Waits for an answer, for a limited time: libpq by itself waits as long as the other machine lives, even if PostgreSQL
/// there does not answer any more. The connection must be nonblocking, so that sending is limited, too.
enum PostgresAnswer {
  /// The last result of what was sent. `nil` when the time was over before.
  static func last(on connection: OpaquePointer, until deadline: ContinuousClock.Instant) -> OpaquePointer? {
    var last: OpaquePointer?
    while isThere(on: connection, until: deadline) {
      guard let result = PQgetResult(connection) else { return last }
      PQclear(last)
      last = result
    }
    PQclear(last)
    return nil
  }

  /// Whether `PQgetResult` returns without waiting; it also tells when the connection broke.
  private static func isThere(on connection: OpaquePointer, until deadline: ContinuousClock.Instant) -> Bool {
    while true {
      let isSending = PQflush(connection) == 1
      guard PQisBusy(connection) == 1 else { return true }
      var polled = pollfd(fd: PQsocket(connection), events: Int16(isSending ? POLLIN | POLLOUT : POLLIN), revents: 0)
      guard polled.fd >= 0 else { return true }
      if poll(&polled, 1, deadline.millisecondsLeft) == 0 { return false }
      guard PQconsumeInput(connection) == 1 else { return true }
    }
  }
}

extension ContinuousClock.Instant {
  /// For `poll`: not fewer than are left, and not more than an hour.
  var millisecondsLeft: CInt {
    let (seconds, attoseconds) = max(.zero, self - .now).components
    return CInt(clamping: min(seconds, 3600) * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
  }
}
