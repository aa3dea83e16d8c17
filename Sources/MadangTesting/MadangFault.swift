import MadangCore
import MadangDevelopment

/// A fault. docs/reference/dev.md describes its effect on a client.
public struct MadangFault: Sendable {
  /// Fails with ``MadangTestingError`` for text that is no length of time.
  let effect: Result<FaultEffect, any Error>

  private init(_ kind: FaultEffect.Kind, _ set: (inout FaultEffect) throws -> Void = { _ in }) {
    effect = Result {
      var effect = FaultEffect(kind)
      try set(&effect)
      return effect
    }
  }
}

extension MadangFault: CustomStringConvertible {
  /// Its JSON, as in `POST /_dev/faults`.
  public var description: String {
    switch effect {
    case .success(let effect): (try? String(decoding: DevelopmentJSON.encode(effect), as: UTF8.self)) ?? "a fault"
    case .failure(let error): "a fault with a mistake: \(error)"
    }
  }
}

// MARK: - Requests

extension MadangFault {
  /// Answers with this HTTP status, and with the contract's error body for `code`, with `body`, or without a body.
  ///
  /// - Parameters:
  ///   - body: Up to 64 KiB. It excludes `code`.
  ///   - contentType: The content type of the body; nil for JSON.
  ///   - seconds: The `Retry-After` of the answer.
  ///   - after: Whether the operation is executed first.
  public static func status(
    _ status: Int, code: String? = nil, body: String? = nil, contentType: String? = nil,
    retryAfter seconds: Int? = nil, after: Bool = false
  ) -> MadangFault {
    MadangFault(.status) {
      ($0.status, $0.code, $0.retryAfter, $0.after) = (status, code, seconds, after)
      ($0.body, $0.contentType) = (body, contentType)
    }
  }

  /// Answers `E05`, as for an expired access token.
  public static let expiredToken = MadangFault(.expiredToken)

  /// Answers `E98` with `Retry-After`.
  public static func limited(retryAfter seconds: Int = 1) -> MadangFault {
    MadangFault(.limited) { $0.retryAfter = seconds }
  }

  /// Delays the answer by `duration` and up to `jitter` more, in real time, independent of the world's clock.
  public static func latency(_ duration: MadangTime, jitter: MadangTime = .zero, after: Bool = false) -> MadangFault {
    MadangFault(.latency) {
      ($0.milliseconds, $0.jitter) = (try duration.milliseconds(of: "latency"), try jitter.milliseconds(of: "jitter"))
      $0.after = after
    }
  }

  /// Executes the operation, then closes the connection without a byte of an answer.
  public static let answerLost = MadangFault(.answerLost)

  /// Sends the answer's head and this many bytes of its body, then closes the connection.
  public static func cut(afterBytes bytes: Int) -> MadangFault { MadangFault(.cut) { $0.bytes = bytes } }

  /// Removes the last byte of the answer's JSON.
  public static let malformedJSON = MadangFault(.malformedJSON)

  /// Sends the answer with this content type.
  public static func contentType(_ type: String) -> MadangFault {
    MadangFault(.contentType) { $0.contentType = type }
  }

  /// Sends this many bytes of the body at a time.
  public static func drip(bytes: Int, every pause: MadangTime) -> MadangFault {
    MadangFault(.drip) { ($0.bytes, $0.milliseconds) = (bytes, try pause.milliseconds(of: "every")) }
  }

  /// Takes the request's body at this speed.
  public static func slowUpload(bytesPerSecond: Int) -> MadangFault {
    MadangFault(.slowUpload) { $0.bytesPerSecond = bytesPerSecond }
  }

  /// Resets the connection when the server has read this many bytes of the request's body.
  public static func cutUpload(afterBytes bytes: Int) -> MadangFault { MadangFault(.cutUpload) { $0.bytes = bytes } }

  /// Resets the connection, before the server reads the body.
  public static func reset(after: Bool = false) -> MadangFault { MadangFault(.reset) { $0.after = after } }

  /// Closes all connections and sockets without notice, and accepts none for this long. Data stays.
  public static func restart(downFor duration: MadangTime, after: Bool = false) -> MadangFault {
    MadangFault(.restart) { ($0.milliseconds, $0.after) = (try duration.milliseconds(of: "downFor"), after) }
  }
}

// MARK: - Sockets

extension MadangFault {
  /// Answers a WebSocket upgrade request with this HTTP status.
  public static func refuseUpgrade(status: Int = 400) -> MadangFault {
    MadangFault(.refuseUpgrade) { $0.status = status }
  }

  /// Answers a connection to a namespace with `CONNECT_ERROR`.
  public static func refuseNamespace(message: String = "not allowed") -> MadangFault {
    MadangFault(.refuseNamespace) { $0.message = message }
  }

  /// Drops a packet.
  public static let drop = MadangFault(.drop)

  /// Delays a packet. Packets behind it wait, or overtake it.
  public static func delay(_ duration: MadangTime, jitter: MadangTime = .zero, overtaken: Bool = false) -> MadangFault {
    MadangFault(.delay) {
      ($0.milliseconds, $0.jitter) = (try duration.milliseconds(of: "delay"), try jitter.milliseconds(of: "jitter"))
      $0.overtaken = overtaken
    }
  }

  /// Sends a packet `count` more times.
  public static func duplicate(count: Int = 1) -> MadangFault { MadangFault(.duplicate) { $0.count = count } }

  /// Sends a packet after the next one of its kind, or after `duration` if none comes.
  public static func reorder(within duration: MadangTime = .seconds(1)) -> MadangFault {
    MadangFault(.reorder) { $0.milliseconds = try duration.milliseconds(of: "within") }
  }

  /// Cuts a packet to its first bytes.
  public static func truncate(toBytes bytes: Int) -> MadangFault { MadangFault(.truncate) { $0.bytes = bytes } }

  /// Stops all traffic on a connection that stays open.
  public static let silence = MadangFault(.silence)

  /// Drops pings and pongs; events continue.
  public static let noPong = MadangFault(.noPong)

  /// Ends the session with a close frame with this code, or with a close packet.
  public static func close(code: Int? = nil) -> MadangFault { MadangFault(.close) { $0.closeCode = code } }

  /// Disconnects a namespace: the server sends DISCONNECT.
  public static let disconnectNamespace = MadangFault(.disconnectNamespace)

  /// Resets the connection and ends its session.
  public static let resetSocket = MadangFault(.resetSocket)
}

extension MadangTime {
  /// Whole milliseconds. A `Duration` is clamped to ten years; `MadangFaults.add` refuses it anyway.
  fileprivate func milliseconds(of parameter: String) throws(MadangTestingError) -> Int {
    Int(try duration(of: parameter, limit: .seconds(315_576_000)).wholeMilliseconds)
  }
}
