import DequeModule
import NIOCore
import SocketIOProtocol

/// An interceptor's changes to a session. Accessed only on the session's loop.
final class Interception {
  /// The most additional copies of a packet.
  static let maxCopies = 1000
  /// How long a silent session is kept if its client does not close its connection.
  static let maxSilence: Milliseconds = 3_600_000

  struct Waiting {
    let number: Int
    let packet: InterceptedPacket.Content
    let due: NIODeadline
    /// Whether the next packet of its kind releases it.
    let endsWithNext: Bool
  }

  /// Packets that wait for an earlier, delayed one, that one first.
  var delayed: [InterceptedPacket.Direction: Deque<Waiting>] = [:]
  /// Packets that are held back until another has passed.
  var heldBack: [Waiting] = []
  /// The bytes of all waiting packets.
  var waitingBytes = 0
  /// Answers to requests of a silent session, which are sent when it ends.
  var unanswered: [Int: @Sendable () -> Void] = [:]
  private var lastNumber = 0
  /// Set if nothing is read or written any longer: the time until which the session is kept.
  var silentUntil: Milliseconds?
  var hasNoHeartbeat = false
  /// Whether packets that are sent now bypass the interceptor.
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

  /// The packet with other bytes; `nil` if they are not a packet that a client can send.
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
  /// The interceptor's decision about an opening.
  func judge(
    _ request: EngineRequest, _ aim: RequestAim, over transport: EngineTransport
  ) -> SocketIOServer.OpeningAction {
    guard let interceptor = configuration.packetInterceptor, interceptor.isActive() else { return .allow }
    var sid: String?
    if case .session(let id) = aim { sid = id }
    return interceptor.opening(.init(request: .init(request, transport: transport), upgradedSession: sid))
  }
}
