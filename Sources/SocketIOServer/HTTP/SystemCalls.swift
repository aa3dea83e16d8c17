public import NIOCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension Int64 {
  /// The time of day, in milliseconds since 1970.
  static var millisecondsSince1970: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}

extension Channel {
  /// Makes the kernel take at most 64 KiB of unsent bytes, so that the server sees how fast a client reads. The kernel's buffers hold
  /// megabytes, which a slow phone takes minutes to read.
  func keepUnsentBytesFew() throws {
    // A Unix socket has no such option, and smaller buffers.
    if case .unixDomainSocket? = localAddress { return }
    let option = ChannelOptions.Types.SocketOption(
      level: .tcp, name: NIOBSDSocket.Option(rawValue: CInt(TCP_NOTSENT_LOWAT)))
    try syncOptions?.setOption(option, value: 64 * 1024)
  }
}

extension Channel {
  /// Closes the connection with a reset (RST). Unsent data is lost.
  public func reset() -> EventLoopFuture<Void> {
    let lingers =
      (self as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
      ?? eventLoop.makeSucceededVoidFuture()
    return lingers.flatMapError { _ in self.eventLoop.makeSucceededVoidFuture() }.flatMap { self.close() }
  }
}

/// Two connected sockets, not inherited by child processes; nil if there are no more descriptors. The caller makes them non-blocking.
func socketPair() -> (CInt, CInt)? {
  var pair: [CInt] = [-1, -1]
  #if canImport(Darwin)
    let kind = SOCK_STREAM
  #else
    let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
  #endif
  guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else { return nil }
  #if canImport(Darwin)
    for descriptor in pair { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
  #endif
  return (pair[0], pair[1])
}

/// A second descriptor for the same open socket, not inherited by child processes; `nil` if there are no more.
func duplicate(_ descriptor: CInt) -> CInt? {
  let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
  return copy < 0 ? nil : copy
}

/// Sends bytes without waiting, and returns how many the kernel took: none if its buffer is full, or if the connection is broken, which the
/// channel's next write reports.
func sendAtOnce(_ bytes: ByteBuffer, to descriptor: CInt) -> Int {
  #if canImport(Darwin)
    // On Darwin NIO has turned SIGPIPE off for its sockets.
    let flags = CInt(MSG_DONTWAIT)
  #else
    let flags = CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL)
  #endif
  return bytes.withUnsafeReadableBytes { max(0, send(descriptor, $0.baseAddress, $0.count, flags)) }
}
