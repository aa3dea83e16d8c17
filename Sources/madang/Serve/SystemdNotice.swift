import Foundation

/// The notices of a service of `Type=notify` to systemd: datagrams to the socket that systemd names. Without such a socket none is sent.
enum SystemdNotice: String {
  case ready = "READY=1"
  case stopping = "STOPPING=1"

  func send() {
    guard let name = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"], !name.isEmpty else { return }
    if let failure = send(to: name) {
      Terminal.message(
        "\(rawValue) does not reach NOTIFY_SOCKET=\(name): \(failure); unset it if systemd did not set it")
    }
  }

  /// Why the notice was not sent; nil if it was.
  private func send(to name: String) -> String? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var path = Array(name.utf8)
    // An abstract name starts with a zero byte, which is written as `@`.
    if path[0] == UInt8(ascii: "@") { path[0] = 0 }
    guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return "the name is too long" }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    // The length matters for abstract names: zeros after the name would be part of it.
    let length = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path) + path.count

    #if canImport(Darwin)
      let descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
    #else
      let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    #endif
    guard descriptor >= 0 else { return String(cString: strerror(errno)) }
    defer { close(descriptor) }
    let text = Array(rawValue.utf8)
    let sent = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, text, text.count, 0, $0, socklen_t(length))
      }
    }
    return sent == text.count ? nil : String(cString: strerror(errno))
  }
}
