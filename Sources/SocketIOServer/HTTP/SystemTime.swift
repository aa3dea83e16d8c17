#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension Int64 {
  /// The time of day, in milliseconds since 1970.
  static var millisecondsSince1970: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}

/// A second descriptor for the same open socket, not inherited by child processes; `nil` when there are no more.
func duplicate(_ descriptor: CInt) -> CInt? {
  let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
  return copy < 0 ? nil : copy
}
