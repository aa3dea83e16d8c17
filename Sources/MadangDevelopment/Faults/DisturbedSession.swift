import DequeModule
import NIOCore
import SocketIOProtocol
import SocketIOServer
import Synchronization

/// The sessions in which faults have happened.
final class DisturbedSessions: Sendable {
  private let sessions = Mutex<[String: DisturbedSession]>([:])
  /// Whether a fault has happened. Every packet checks this before it takes the lock.
  private let isUsed = Atomic(false)

  /// Applies a fault to a packet.
  func apply(_ fault: Faults.Applied, to packet: TravellingPacket) {
    isUsed.store(true, ordering: .relaxed)
    let session = sessions.withLock { sessions in
      let session = sessions[packet.sessionID] ?? DisturbedSession()
      sessions[packet.sessionID] = session
      return session
    }
    session.apply(fault, to: packet)
  }

  /// Takes over a packet without a fault if earlier packets wait. Returns whether it did.
  func take(_ packet: TravellingPacket) -> Bool {
    guard isUsed.load(ordering: .relaxed), let session = sessions.withLock({ $0[packet.sessionID] }) else {
      return false
    }
    return session.take(packet)
  }

  func ended(_ sessionID: String) {
    guard isUsed.load(ordering: .relaxed) else { return }
    sessions.withLock { $0.removeValue(forKey: sessionID) }?.end()
  }
}

/// The packets of a session that wait because of faults.
///
/// Unchecked: accessed only on the session's event loop.
final class DisturbedSession: @unchecked Sendable {
  /// The most bytes that wait. A session with more is closed.
  static let maxWaitingBytes = 2_097_152
  /// How long a packet is held back for another to overtake it, if the rule does not say.
  private static let holdBack = Duration.seconds(1)

  private struct Waiting {
    let number: Int
    let packet: TravellingPacket
    /// Delivered instead of the packet's own bytes; nil to deliver those.
    let bytes: [UInt8]?
    let due: NIODeadline
    /// Whether the next packet of the same kind releases this one.
    let endsWithNext: Bool
  }

  /// In order: a delayed packet, and the packets that wait behind it.
  private var delayed: [TravellingPacket.Direction: Deque<Waiting>] = [:]
  /// Packets that later ones overtake.
  private var heldBack: [Waiting] = []
  private var waitingBytes = 0
  private var lastNumber = 0

  func apply(_ fault: Faults.Applied, to packet: TravellingPacket) {
    let effect = fault.effect
    switch effect.kind {
    case .refuseNamespace: packet.refuse(message: effect.message ?? "not allowed")
    case .delay where effect.overtaken ?? false: holdBack(packet, for: fault.duration, endsWithNext: false)
    case .delay: delay(packet, until: .now() + TimeAmount(fault.duration))
    case .duplicate: for _ in 0...(effect.count ?? 1) { proceed(packet) }
    case .reorder:
      holdBack(packet, for: effect.milliseconds == nil ? Self.holdBack : fault.duration, endsWithNext: true)
    case .truncate: proceed(packet, Array(packet.kept.bytes.dropLast().prefix(effect.bytes ?? 0)))
    case .silence:
      end()
      packet.fallSilent()
    case .noPong:
      packet.stopHeartbeat()
      if packet.direction == .fromClient || ![.ping, .pong].contains(packet.kept.kind) { proceed(packet) }
    case .close: packet.close(code: effect.closeCode.map { UInt16($0) })
    case .disconnectNamespace: packet.disconnect()
    case .resetSocket: packet.reset()
    case .drop, .status, .expiredToken, .limited, .latency, .answerLost, .cut, .malformedJSON, .contentType, .drip,
      .reset, .restart, .slowUpload, .cutUpload, .refuseUpgrade:
      break
    }
  }

  func take(_ packet: TravellingPacket) -> Bool {
    guard !heldBack.isEmpty || waitsForEarlier(packet) else { return false }
    proceed(packet)
    return true
  }

  /// Discards all waiting packets.
  func end() {
    delayed = [:]
    heldBack = []
    waitingBytes = 0
  }

  // MARK: Waiting

  private func waitsForEarlier(_ packet: TravellingPacket) -> Bool { delayed[packet.direction]?.isEmpty == false }

  /// Delivers a packet after earlier waiting ones.
  private func proceed(_ packet: TravellingPacket, _ bytes: [UInt8]? = nil) {
    if waitsForEarlier(packet) { return delay(packet, bytes, until: .now()) }
    packet.deliver(bytes)
    releaseHeldBack(behind: packet)
  }

  /// Counts a packet's bytes as waiting. If that would be too many, closes the session and returns nil.
  private func waiting(
    _ packet: TravellingPacket, _ bytes: [UInt8]? = nil, until due: NIODeadline, endsWithNext: Bool = false
  ) -> Waiting? {
    guard waitingBytes + packet.kept.size <= Self.maxWaitingBytes else {
      packet.close(code: nil)
      return nil
    }
    waitingBytes += packet.kept.size
    lastNumber += 1
    return Waiting(number: lastNumber, packet: packet, bytes: bytes, due: due, endsWithNext: endsWithNext)
  }

  private func delay(_ packet: TravellingPacket, _ bytes: [UInt8]? = nil, until due: NIODeadline) {
    guard let waiting = waiting(packet, bytes, until: due) else { return }
    let isFirst = !waitsForEarlier(packet)
    delayed[packet.direction, default: []].append(waiting)
    if isFirst { schedule(packet.direction) }
  }

  private func schedule(_ direction: TravellingPacket.Direction) {
    guard let first = delayed[direction]?.first else { return }
    first.packet.loop.scheduleTask(deadline: first.due) { self.deliverDelayed(direction) }
  }

  private func deliverDelayed(_ direction: TravellingPacket.Direction) {
    while let first = delayed[direction]?.first, first.due <= .now() {
      delayed[direction]?.removeFirst()
      deliver(first)
      releaseHeldBack(behind: first.packet)
    }
    schedule(direction)
  }

  private func deliver(_ waiting: Waiting) {
    waitingBytes -= waiting.packet.kept.size
    waiting.packet.deliver(waiting.bytes)
  }

  /// - Parameter endsWithNext: Whether the next packet of the same kind releases this one earlier.
  private func holdBack(_ packet: TravellingPacket, for time: Duration, endsWithNext: Bool) {
    guard let waiting = waiting(packet, until: .now(), endsWithNext: endsWithNext) else { return }
    heldBack.append(waiting)
    packet.loop.scheduleTask(in: TimeAmount(time)) {
      self.release { $0.number == waiting.number }
    }
  }

  private func releaseHeldBack(behind packet: TravellingPacket) {
    guard heldBack.contains(where: \.endsWithNext) else { return }
    let kind = PacketKind(packet)
    release { $0.endsWithNext && PacketKind($0.packet) == kind }
  }

  private func release(where isDue: (Waiting) -> Bool) {
    let due = heldBack.filter(isDue)
    heldBack.removeAll { waiting in due.contains { $0.number == waiting.number } }
    for waiting in due { deliver(waiting) }
  }
}

/// What packets of the same kind have in common.
private struct PacketKind: Equatable {
  let direction: TravellingPacket.Direction
  let kind: EnginePacket.Kind
  let namespace: String?

  init(_ packet: TravellingPacket) {
    let kept = packet.kept
    (direction, kind, namespace) = (packet.direction, kept.kind, kept.socketPacket?.namespace)
  }
}
