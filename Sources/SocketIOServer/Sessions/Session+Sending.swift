import DequeModule
import Logging
import NIOCore
import SocketIOProtocol

extension Session {
  func send(_ message: OutboundMessage) {
    makeRoom(for: message.size)
    send(message.head)
    for attachment in message.attachments { send(attachment) }
  }

  /// Whether the client can receive an event at once.
  var isWritable: Bool {
    engine.transport == .polling ? poll != nil && queue.isEmpty : link?.checkIdle() ?? false
  }

  /// Sends the reply to a client's own packet. These requests need no admission, so the limit of unread replies is small.
  func reply(_ packet: OutboundPacket) {
    if link?.checkIdle() ?? queue.isEmpty { unreadReplyBytes = 0 }
    unreadReplyBytes += packet.size
    guard unreadReplyBytes <= core.configuration.maxUnreadReplyBytes else {
      core.logger.debug("Client closed: it sends requests but does not read the replies", metadata: ["sid": "\(id)"])
      return close(.transportError)
    }
    send(packet)
  }

  /// - Parameter isPastHook: Whether the packet hook has had it already.
  func send(_ packet: OutboundPacket, isPastHook: Bool = false) {
    guard !engine.isClosed, drain == nil, isPastHook || passes(.sent(packet)) else { return }
    if let link {
      link.write(packet, revision)
      return shard.needsFlush(link)
    }
    let limit = core.configuration.maxOutboundBytesPerSocket + oversize
    guard queuedBytes <= limit else { return }
    queue.append(packet)
    queuedBytes += packet.size
    if queuedBytes > limit {
      // As for a WebSocket, never during a broadcast.
      shard.loop.execute {
        self.core.logger.info("Client closed: it reads too slowly", metadata: ["sid": "\(self.id)"])
        self.close(.transportError)
      }
    } else if poll != nil {
      shard.needsAnswer(self)
    }
  }
}
