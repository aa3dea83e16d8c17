import Foundation

/// Wakes a thread that waits for a descriptor, by a pipe.
final class WakeUp: Sendable {
  private let reading: CInt
  private let writing: CInt

  /// Nil when the process has no file descriptors left.
  init?() {
    var ends: [CInt] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// Never blocks. If the pipe is full, the thread is woken anyway.
  func signal() {
    var byte: UInt8 = 1
    _ = write(writing, &byte, 1)
  }

  /// Waits for a signal, for readable data on `descriptor`, or until the time is over. Consumes all signals.
  func wait(orReadable descriptor: CInt? = nil, for duration: Duration? = nil) {
    // poll() ignores a negative descriptor.
    var polled = [pollfd(fd: reading, events: Int16(POLLIN), revents: 0)]
    polled.append(pollfd(fd: descriptor ?? -1, events: Int16(POLLIN), revents: 0))
    _ = poll(&polled, nfds_t(polled.count), duration.map { CInt(clamping: max(1, $0.milliseconds)) } ?? -1)
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(reading, &bytes, bytes.count) > 0 {}
  }
}
