import Foundation

/// The system's log, as a socket of the file system that takes datagrams (RFC 5424). It never waits: what does not fit is lost.
/// Its calls are made by one thread at a time.
final class Syslog {
  /// Bytes of one datagram; logs take no longer ones.
  static let maxSize = 8192
  /// Private messages about security (`authpriv`).
  private static let facility = 10

  private let path: String
  private let host: String
  private var descriptor: Int32 = -1

  init(path: String) {
    self.path = path
    let name = ProcessInfo.processInfo.hostName.filter { $0.isASCII && !$0.isWhitespace }
    host = name.isEmpty ? "-" : String(name.prefix(255))
  }

  deinit { closeSocket() }

  /// Sends one message; false if it is lost.
  /// - Parameters:
  ///   - severity: 5 for what to look at, 6 for the rest.
  ///   - time: As RFC 3339 has it.
  ///   - kind: Stands as the message's id.
  func send(_ message: [UInt8], severity: Int, time: String, kind: String) -> Bool {
    let id = kind.allSatisfy { $0.isASCII && $0.isLetter } ? String(kind.prefix(32)) : "-"
    let head = "<\(Self.facility * 8 + severity)>1 \(time) \(host) madang \(getpid()) \(id) - "
    let datagram = Array(head.utf8) + message
    guard datagram.count <= Self.maxSize else { return false }
    // The log may have been started anew since.
    return put(datagram) || (connect() && put(datagram))
  }

  private func put(_ datagram: [UInt8]) -> Bool {
    guard descriptor >= 0 else { return false }
    let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
    return datagram.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, flags) } == datagram.count
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
