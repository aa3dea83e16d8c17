import CPostgres
import Foundation

/// Waits for answers with a time limit. libpq itself waits as long as the other machine is up, even if PostgreSQL there does not answer.
/// The connection must be nonblocking, so that sending is limited too.
enum PostgresAnswer {
  /// The last result of the sent command; `nil` if the time ran out.
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

  /// Waits until `PQgetResult` returns without waiting, with a result or because the connection broke. False if the time ran out.
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
  /// For `poll`: rounded up, and at most one hour.
  var millisecondsLeft: CInt {
    let (seconds, attoseconds) = max(.zero, self - .now).components
    return CInt(clamping: min(seconds, 3600) * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
  }
}
