import NIOCore
import SocketIOProtocol

extension WebSocketLink {
  /// A time in which only what was written before it is sent, so that it arrives alone.
  struct Pause {
    /// Tells it from others of the link.
    let number: Int
    fileprivate(set) var frames: [ByteBuffer] = []
    fileprivate(set) var bytes = 0
  }

  /// Begins a pause behind what was written. One that is under way ends.
  func beginPause(for time: Duration) {
    guard time > .zero, case .open = state else { return }
    endPause()
    pauses += 1
    let number = pauses
    pause = Pause(number: number)
    let link = NIOLoopBound(self, eventLoop: shard.loop)
    shard.loop.scheduleTask(in: TimeAmount(time)) {
      guard link.value.pause?.number == number else { return }
      link.value.endPause()
    }
  }

  /// Writes what was kept.
  func endPause() {
    guard let ended = pause else { return }
    pause = nil
    for frame in ended.frames { write(frame) }
    if !ended.frames.isEmpty { shard.needsFlush(self) }
  }

  /// Keeps a frame until the pause is over. If more comes than may wait for a client, it is over at once, and the channel counts.
  func keep(_ frame: ByteBuffer) {
    pause?.frames.append(frame)
    pause?.bytes += frame.readableBytes
    if pause?.bytes ?? 0 > shard.core.configuration.maxOutboundBytesPerSocket { endPause() }
  }
}
