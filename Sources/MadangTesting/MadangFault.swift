import MadangDevelopment

/// What goes wrong. docs/reference/dev.md tells what a client sees of each.
public struct MadangFault: Sendable {
  let effect: FaultEffect

  private init(_ kind: FaultEffect.Kind, _ set: (inout FaultEffect) -> Void = { _ in }) {
    effect = FaultEffect(kind, set)
  }
}

// MARK: - Requests

extension MadangFault {
  /// This HTTP status, with the contract's error body for `code`, with a body of its own, or without one.
  ///
  /// - Parameters:
  ///   - body: Up to 64 KiB. It excludes `code`.
  ///   - contentType: Of the body; nil for JSON.
  ///   - seconds: The `Retry-After` of the answer.
  ///   - after: Whether the operation is carried out first.
  public static func status(
    _ status: Int, code: String? = nil, body: String? = nil, contentType: String? = nil,
    retryAfter seconds: Int? = nil, after: Bool = false
  ) -> MadangFault {
    MadangFault(.status) {
      ($0.status, $0.code, $0.retryAfter, $0.after) = (status, code, seconds, after)
      ($0.body, $0.contentType) = (body, contentType)
    }
  }

  /// `E05`, as of an expired access token.
  public static let expiredToken = MadangFault(.expiredToken)

  /// `E98` with `Retry-After`.
  public static func limited(retryAfter seconds: Int = 1) -> MadangFault {
    MadangFault(.limited) { $0.retryAfter = seconds }
  }

  /// The answer late, by `duration` and up to `jitter` more. Real time passes, whatever the world's clock says.
  public static func latency(_ duration: Duration, jitter: Duration = .zero, after: Bool = false) -> MadangFault {
    MadangFault(.latency) {
      ($0.milliseconds, $0.jitter, $0.after) = (duration.milliseconds, jitter.milliseconds, after)
    }
  }

  /// The operation is carried out, and the connection ends without a byte of an answer.
  public static let answerLost = MadangFault(.answerLost)

  /// The answer's head, so many bytes of its body, and the end of the connection.
  public static func cut(afterBytes bytes: Int) -> MadangFault { MadangFault(.cut) { $0.bytes = bytes } }

  /// An answer whose JSON lacks its last byte.
  public static let malformedJSON = MadangFault(.malformedJSON)

  /// The answer with this content type.
  public static func contentType(_ type: String) -> MadangFault {
    MadangFault(.contentType) { $0.contentType = type }
  }

  /// The body, so many bytes at a time.
  public static func drip(bytes: Int, every pause: Duration) -> MadangFault {
    MadangFault(.drip) { ($0.bytes, $0.milliseconds) = (bytes, pause.milliseconds) }
  }

  /// A connection that is reset.
  public static func reset(after: Bool = false) -> MadangFault { MadangFault(.reset) { $0.after = after } }

  /// All connections and sockets end without a word, and none can be made for so long. Data stays.
  public static func restart(downFor duration: Duration, after: Bool = false) -> MadangFault {
    MadangFault(.restart) { ($0.milliseconds, $0.after) = (duration.milliseconds, after) }
  }
}

// MARK: - Sockets

extension MadangFault {
  /// This HTTP status where a client asks for a WebSocket.
  public static func refuseUpgrade(status: Int = 400) -> MadangFault {
    MadangFault(.refuseUpgrade) { $0.status = status }
  }

  /// `CONNECT_ERROR` for a namespace.
  public static func refuseNamespace(message: String = "not allowed") -> MadangFault {
    MadangFault(.refuseNamespace) { $0.message = message }
  }

  /// A packet less.
  public static let drop = MadangFault(.drop)

  /// A packet late. Those behind it wait, or overtake it.
  public static func delay(_ duration: Duration, jitter: Duration = .zero, overtaken: Bool = false) -> MadangFault {
    MadangFault(.delay) {
      ($0.milliseconds, $0.jitter, $0.overtaken) = (duration.milliseconds, jitter.milliseconds, overtaken)
    }
  }

  /// A packet `count` times more.
  public static func duplicate(count: Int = 1) -> MadangFault { MadangFault(.duplicate) { $0.count = count } }

  /// A packet behind the next one of its kind; after `duration` if none comes.
  public static func reorder(within duration: Duration = .seconds(1)) -> MadangFault {
    MadangFault(.reorder) { $0.milliseconds = duration.milliseconds }
  }

  /// The first bytes of a packet.
  public static func truncate(toBytes bytes: Int) -> MadangFault { MadangFault(.truncate) { $0.bytes = bytes } }

  /// Nothing any more, on a connection that stays open.
  public static let silence = MadangFault(.silence)

  /// Neither pings nor pongs, while events go on.
  public static let noPong = MadangFault(.noPong)

  /// The end of the session, by a close frame with this code, or a close packet.
  public static func close(code: Int? = nil) -> MadangFault { MadangFault(.close) { $0.closeCode = code } }

  /// The server's DISCONNECT of a namespace.
  public static let disconnectNamespace = MadangFault(.disconnectNamespace)

  /// A connection that is reset, and the end of its session.
  public static let resetSocket = MadangFault(.resetSocket)
}

extension Duration {
  /// Whole milliseconds; ten years at most, which no fault may take.
  fileprivate var milliseconds: Int {
    let (seconds, attoseconds) = components
    return Int(min(seconds, 315_576_000)) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
  }
}
