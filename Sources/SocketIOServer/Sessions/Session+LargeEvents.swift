import Logging
import SocketIOProtocol

extension Session {
  /// The bytes that wait for the client.
  private var waitingBytes: Int { link?.waitingBytes ?? queuedBytes }

  /// Called before an event is sent. An event larger than the limit of waiting bytes is allowed, up to its own limit and one at a time.
  /// Only other waiting bytes then show that a client is too slow.
  func makeRoom(for size: Int) {
    // Reads only one setting, because copying all of them for each event and socket is slow.
    let limit = core.configuration.maxOutboundBytesPerSocket
    guard oversize > 0 || size > limit else { return }
    shrinkOversize()
    let configuration = core.configuration
    guard oversize == 0, size > limit, size <= configuration.maxLargeEventBytes, waitingBytes <= limit else { return }
    oversize = size
    oversizeDeadline =
      Milliseconds.uptime + configuration.pingInterval.milliseconds + configuration.pingTimeout.milliseconds
    shard.schedule(self)
  }

  /// Reduces `oversize` by the bytes that the client has received.
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
    core.logger.info("Client closed: it does not read a large event", metadata: ["sid": "\(id)"])
    if let link { link.abort() } else { close(.transportError) }
  }
}
