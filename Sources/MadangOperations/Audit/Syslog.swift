import Foundation

/// The system's log as a datagram socket, in the form of the C library's `syslog`, which journald and rsyslog read there
/// (not RFC 5424). If the log is full, a message waits a moment; later ones are dropped without waiting until the log
/// accepts one again. Its calls block; one thread at a time makes them.
final class Syslog {
  /// The largest datagram in bytes; logs accept no longer ones.
  static let maxSize = 8192
  /// The facility of private security messages (`authpriv`).
  private static let facility = 10

  /// How long to wait for a full log.
  private static let patience = timeval(tv_sec: 1, tv_usec: 0)

  private let path: String
  private var descriptor: Int32 = -1
  /// Whether a wait failed and the log has accepted nothing since.
  private var isFull = false

  init(path: String) { self.path = path }

  deinit { closeSocket() }

  /// Sends one message; false if it was lost.
  /// - Parameters:
  ///   - severity: 5 for messages to look at, 6 for the rest.
  ///   - time: Milliseconds since 1970.
  func send(_ message: [UInt8], severity: Int, time: Int64) -> Bool {
    let head = "<\(Self.facility * 8 + severity)>\(Self.stamp(time)) madang[\(getpid())]: "
    let datagram = Array(head.utf8) + message
    guard datagram.count <= Self.maxSize else { return false }
    if descriptor >= 0 {
      if put(datagram) { return true }
      if errno == EAGAIN || errno == EMSGSIZE { return false }
    }
    // The log may have been restarted since.
    return connect() && put(datagram)
  }

  /// The form `Nov 24 09:05:01`, by this machine's clock.
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
