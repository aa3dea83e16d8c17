import NIOCore
import SocketIOProtocol

extension WebSocketLink {
  /// Whether nothing waits to be sent. Asks the channel only while it may hold bytes, and remembers when it holds none.
  func checkIdle() -> Bool {
    if isChannelInUse, let options = context?.channel.syncOptions {
      isChannelInUse = (try? options.getOption(.bufferedWritableBytes)) != 0
    }
    return !isChannelInUse && heldFrame == nil && pause?.frames.isEmpty ?? true
  }

  /// Bytes that wait to be sent.
  var waitingBytes: Int {
    let held = (heldFrame?.readableBytes ?? 0) + (pause?.bytes ?? 0)
    guard isChannelInUse, let options = context?.channel.syncOptions else { return held }
    return held + ((try? options.getOption(.bufferedWritableBytes)) ?? 0)
  }

  /// Writes a packet in the client's form.
  func write(_ packet: OutboundPacket, _ revision: EngineRevision) {
    write(packet.deflation.flatMap { compressed(packet, $0, revision) } ?? packet.frame(revision))
  }

  private func compressed(
    _ packet: OutboundPacket, _ deflation: SharedDeflation, _ revision: EngineRevision
  ) -> ByteBuffer? {
    guard let deflater, packet.payloadSize < maxDeflatedSize else { return nil }
    let isTyped = packet.isTyped(in: revision)
    return deflation.frame(isTyped: isTyped, by: deflater) { isTyped ? packet.typed : packet }
  }

  func write(_ frame: ByteBuffer) {
    guard case .open = state else { return }
    guard pause == nil else { return keep(frame) }
    if checkIdle() { heldFrame = frame } else { writeThroughChannel(frame) }
  }

  func flush() {
    guard var frame = heldFrame else {
      context?.flush()
      return
    }
    heldFrame = nil
    if isConnected {
      assert(context?.channel.isActive == true)
      frame.moveReaderIndex(forwardBy: sendAtOnce(frame, to: descriptor))
    }
    guard frame.readableBytes > 0 else { return }
    writeThroughChannel(frame)
    context?.flush()
  }

  func writeThroughChannel(_ bytes: ByteBuffer) {
    guard let context else { return }
    isChannelInUse = true
    if let frame = heldFrame {
      heldFrame = nil
      context.write(wrapOutboundOut(frame), promise: nil)
    }
    context.write(wrapOutboundOut(bytes), promise: nil)
    // Above its high-water mark, the channel does not report further bytes.
    if case .open(let session) = state, session.oversize > 0, isOverfull { shard.hasOverflowed(self) }
  }

  /// Whether more bytes wait than allowed, not counting an event that exceeds the limit by itself.
  var isOverfull: Bool {
    guard let context, !context.channel.isWritable, case .open(let session) = state else { return false }
    return session.oversize == 0 || waitingBytes > shard.core.configuration.maxOutboundBytesPerSocket + session.oversize
  }
}
