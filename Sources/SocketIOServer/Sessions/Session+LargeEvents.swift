import Logging
import SocketIOProtocol

extension Session {
  /// Bytes that wait for the client.
  private var waitingBytes: Int { link?.waitingBytes ?? queuedBytes }

  /// Before an event is sent. One that is larger than all that may wait is let through, up to its own limit and one at a time: it is what
  /// waits beside it that tells of a client that does not keep up.
  func makeRoom(for size: Int) {
    // One of its values, not a copy of all: each event for each socket comes by here.
    let limit = core.configuration.maxOutboundBytesPerSocket
    guard oversize > 0 || size > limit else { return }
    shrinkOversize()
    let configuration = core.configuration
    guard oversize == 0, size > limit, size <= configuration.maxLargeEventBytes, waitingBytes <= limit else { return }
    oversize = size
    oversizeDeadline =
      LoopShard.now + configuration.pingInterval.milliseconds + configuration.pingTimeout.milliseconds
    shard.schedule(self)
  }

  /// Nothing counts apart any more that the client has taken.
  func shrinkOversize() {
    let waiting = waitingBytes
    guard waiting > core.configuration.maxOutboundBytesPerSocket else {
      (oversize, oversizeDeadline) = (0, .max)
      return
    }
    oversize = min(oversize, waiting)
  }

  /// The time for a large event is over.
  func endOversize() {
    shrinkOversize()
    guard oversize > 0 else { return }
    core.logger.info("Client closed: it does not take a large event", metadata: ["sid": "\(id)"])
    if let link { link.abort() } else { close(.transportError) }
  }
}
