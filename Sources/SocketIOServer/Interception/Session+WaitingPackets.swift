import DequeModule
import Logging
import NIOCore
import SocketIOProtocol

/// Packets that wait because of an interceptor.
extension Session {
  /// The interceptor's state for this session, created at the first use.
  var disturbance: Interception {
    if let interception { return interception }
    let new = Interception()
    interception = new
    return new
  }

  /// Delivers a packet after earlier waiting ones.
  func proceed(_ content: InterceptedPacket.Content) {
    if interception?.delayed[content.direction]?.isEmpty == false { return delay(content, until: .now()) }
    arrive(content)
    releaseHeldBack(behind: content)
  }

  /// Delivers a packet to its destination.
  func arrive(_ content: InterceptedPacket.Content) {
    switch content {
    case .received(let packet, let isLate): take(packet, isLate: isLate)
    case .receivedOnUpgrade(let packet, let link): takeOnUpgrade(packet, from: link)
    case .sent(let packet): transmit(packet)
    }
  }

  /// Counts a waiting packet; nil if there are too many.
  private func keepWaiting(_ content: InterceptedPacket.Content) -> Int? {
    guard disturbance.waitingBytes + content.size <= core.configuration.maxOutboundBytesPerSocket else {
      core.logger.info("Client closed: too much of it is held back", metadata: ["sid": "\(id)"])
      endSoon { $0.close(.transportError) }
      return nil
    }
    disturbance.waitingBytes += content.size
    return disturbance.makeNumber()
  }

  func delay(_ content: InterceptedPacket.Content, until due: NIODeadline) {
    let direction = content.direction
    guard let number = keepWaiting(content) else { return }
    let isFirst = disturbance.delayed[direction]?.isEmpty ?? true
    disturbance.delayed[direction, default: []].append(
      .init(number: number, packet: content, due: due, endsWithNext: false))
    if isFirst { scheduleDelayed(direction) }
  }

  private func scheduleDelayed(_ direction: InterceptedPacket.Direction) {
    guard let due = disturbance.delayed[direction]?.first?.due else { return }
    shard.loop.scheduleTask(deadline: due) { self.deliverDelayed(direction) }
  }

  private func deliverDelayed(_ direction: InterceptedPacket.Direction) {
    while let first = disturbance.delayed[direction]?.first, first.due <= .now() {
      disturbance.delayed[direction]?.removeFirst()
      disturbance.waitingBytes -= first.packet.size
      guard !isSilent, !engine.isClosed else { continue }
      arrive(first.packet)
      releaseHeldBack(behind: first.packet)
    }
    scheduleDelayed(direction)
  }

  /// - Parameter endsWithNext: Whether the next packet of its kind releases it before this time.
  func holdBack(_ content: InterceptedPacket.Content, until time: Duration, endsWithNext: Bool) {
    guard let number = keepWaiting(content) else { return }
    disturbance.heldBack.append(.init(number: number, packet: content, due: .now(), endsWithNext: endsWithNext))
    shard.loop.scheduleTask(in: .milliseconds(time.milliseconds)) {
      self.release { $0.number == number }
    }
  }

  private func releaseHeldBack(behind content: InterceptedPacket.Content) {
    guard interception?.heldBack.contains(where: \.endsWithNext) ?? false else { return }
    let packet = InterceptedPacket(content: content, session: self)
    let stream = (packet.direction, packet.kind, packet.socketPacket?.namespace)
    release {
      let held = InterceptedPacket(content: $0.packet, session: self)
      return $0.endsWithNext && (held.direction, held.kind, held.socketPacket?.namespace) == stream
    }
  }

  private func release(where isDue: (Interception.Waiting) -> Bool) {
    let due = disturbance.heldBack.filter(isDue)
    disturbance.heldBack.removeAll { waiting in due.contains { $0.number == waiting.number } }
    for waiting in due {
      disturbance.waitingBytes -= waiting.packet.size
      if !isSilent, !engine.isClosed { arrive(waiting.packet) }
    }
  }
}

extension InterceptedPacket.Content {
  fileprivate var direction: InterceptedPacket.Direction {
    if case .sent = self { .toClient } else { .fromClient }
  }
}
