import Foundation

/// The system's log, as a socket of the file system that takes datagrams: in the form that the C library's `syslog` sends, which
/// journald and rsyslog take there, not that of RFC 5424. It waits a moment while the log has more than it takes; then what does
/// not fit is lost, without waiting again until the log has taken something. Its calls block; one thread at a time makes them.
final class Syslog {
  /// Bytes of one datagram; logs take no longer ones.
  static let maxSize = 8192
  /// Private messages about security (`authpriv`).
  private static let facility = 10

  /// How long a full log is waited for.
  private static let patience = timeval(tv_sec: 1, tv_usec: 0)

  private let path: String
  private var descriptor: Int32 = -1
  /// Whether the log was waited for in vain, and has taken nothing since.
  private var isFull = false

  init(path: String) { self.path = path }

  deinit { closeSocket() }

  /// Sends one message; false if it is lost.
  /// - Parameters:
  ///   - severity: 5 for what to look at, 6 for the rest.
  ///   - time: Milliseconds since 1970.
  func send(_ message: [UInt8], severity: Int, time: Int64) -> Bool {
    let head = "<\(Self.facility * 8 + severity)>\(Self.stamp(time)) madang[\(getpid())]: "
    let datagram = Array(head.utf8) + message
    guard datagram.count <= Self.maxSize else { return false }
    if descriptor >= 0 {
      if put(datagram) { return true }
      if errno == EAGAIN || errno == EMSGSIZE { return false }
    }
    // It may have been started anew since.
    return connect() && put(datagram)
  }

  /// As `Nov 24 09:05:01`, by this machine's clock.
  private static func stamp(_ milliseconds: Int64) -> String {
    var (seconds, parts) = (time_t(milliseconds / 1000), tm())
    localtime_r(&seconds, &parts)
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }
    return
      "\(months[Int(parts.tm_mon) % 12]) \(parts.tm_mday < 10 ? " " : "")\(parts.tm_mday) \(clock.joined(separator: ":"))"
  }

  private func put(_ datagram: [UInt8]) -> Bool {
    let flags = Int32(MSG_NOSIGNAL) | (isFull ? Int32(MSG_DONTWAIT) : 0)
    let isTaken =
      datagram.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, flags) } == datagram.count
    isFull = !isTaken && errno == EAGAIN
    return isTaken
  }

  private func connect() -> Bool {
    closeSocket()
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    var patience = Self.patience
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Foundation.connect(descriptor, $0, size) == 0 }
    }
  }

  private func closeSocket() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }
}
