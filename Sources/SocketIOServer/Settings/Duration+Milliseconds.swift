import NIOCore
import SocketIOProtocol

extension Duration {
  /// Whole milliseconds, rounded up, so that a short wait never becomes zero.
  var milliseconds: Milliseconds {
    let (seconds, attoseconds) = components
    return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  }
}

extension Milliseconds {
  /// The time since the machine started.
  static var uptime: Milliseconds { Milliseconds(NIODeadline.now().uptimeNanoseconds / 1_000_000) }
}
