import NIOCore
import SocketIOProtocol

extension WebSocketLink {
  /// A time in which only earlier output is sent, so that it arrives alone.
  struct Pause {
    /// Distinguishes it from other pauses of the link.
    let number: Int
    fileprivate(set) var frames: [ByteBuffer] = []
    fileprivate(set) var bytes = 0
  }

  /// Begins a pause after the output so far. A current pause ends.
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

  /// Writes the kept frames.
  func endPause() {
    guard let ended = pause else { return }
    pause = nil
    for frame in ended.frames { write(frame) }
    if !ended.frames.isEmpty { shard.needsFlush(self) }
  }

  /// Keeps a frame until the pause is over. If the kept frames exceed the limit of waiting bytes, the pause ends at once, and the channel's
  /// limit applies.
  func keep(_ frame: ByteBuffer) {
    pause?.frames.append(frame)
    pause?.bytes += frame.readableBytes
    if pause?.bytes ?? 0 > shard.core.configuration.maxOutboundBytesPerSocket { endPause() }
  }
}
