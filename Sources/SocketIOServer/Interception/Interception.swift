import DequeModule
import NIOCore
import SocketIOProtocol

/// What an interceptor has made of a session. Touched on the session's loop only.
final class Interception {
  /// How often a packet arrives besides the first time, at most.
  static let maxCopies = 1000
  /// How long a silent session is kept whose client does not close its connection.
  static let maxSilence: Milliseconds = 3_600_000

  struct Waiting {
    let number: Int
    let packet: InterceptedPacket.Content
    let due: NIODeadline
    /// Whether the next packet of its kind releases it.
    let endsWithNext: Bool
  }

  /// Packets that wait for an earlier one which is delayed, that one first.
  var delayed: [InterceptedPacket.Direction: Deque<Waiting>] = [:]
  /// Packets that are held back until another has passed.
  var heldBack: [Waiting] = []
  /// Of all packets that wait, in bytes.
  var waitingBytes = 0
  /// Requests of a silent session, which are answered when it ends.
  var unanswered: [Int: @Sendable () -> Void] = [:]
  private var lastNumber = 0
  /// Set when nothing is read or written any more: until when the session is kept.
  var silentUntil: Milliseconds?
  var hasNoHeartbeat = false
  /// What is sent now is not shown.
  var isBypassed = false
  /// The session is about to be closed.
  var isEnding = false
  var wasReset = false

  func makeNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }
}

extension InterceptedPacket.Content {
  var size: Int {
    switch self {
    case .received(let packet, _), .receivedOnUpgrade(let packet, _): packet.data.count + 1
    case .sent(let packet): packet.size
    }
  }

  /// The same with other bytes; `nil` if they are no packet of a client's.
  func replaced(_ bytes: [UInt8], isBinary: Bool) -> Self? {
    if case .sent = self { return .sent(isBinary ? OutboundPacket(binary: bytes) : OutboundPacket(text: bytes)) }
    guard let packet = isBinary ? EnginePacket(binary: bytes) : try? EnginePacket(text: bytes[...], .v4) else {
      return nil
    }
    switch self {
    case .received(_, let isLate): return .received(packet, isLate: isLate)
    case .receivedOnUpgrade(_, let link): return .receivedOnUpgrade(packet, link)
    case .sent: return nil
    }
  }
}

extension ServerCore {
  /// What becomes of an opening.
  func judge(
    _ request: EngineRequest, _ aim: RequestAim, over transport: EngineTransport
  ) -> SocketIOServer.OpeningAction {
    guard let interceptor = configuration.packetInterceptor, interceptor.isActive() else { return .allow }
    var sid: String?
    if case .session(let id) = aim { sid = id }
    return interceptor.opening(.init(request: .init(request, transport: transport), upgradedSession: sid))
  }
}
