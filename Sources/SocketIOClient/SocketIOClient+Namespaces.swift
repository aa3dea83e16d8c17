import NIOCore
import SocketIOProtocol

extension SocketIOClient {
  typealias Feed = AsyncThrowingStream<Update, any Error>.Continuation

  /// A namespace somebody reads.
  struct Membership {
    let feed: Feed
    let feedID: Int
    var auth: [UInt8]
  }

  /// Joins namespaces, now or as soon as there is a connection, and tells what happens in them.
  ///
  /// A namespace has one reader: asking for it again ends the former sequence.
  /// - Parameter auth: A JSON object for the server, or empty.
  public func updates(in namespaces: [String], auth: [UInt8] = []) -> Updates {
    let (stream, feed) = AsyncThrowingStream.makeStream(
      of: Update.self, throwing: (any Error).self,
      bufferingPolicy: .bufferingOldest(configuration.maxWaitingUpdates))
    guard !isClosed else {
      feed.finish()
      return Updates(stream: stream)
    }
    feedCount += 1
    let id = feedCount
    for namespace in namespaces {
      if let former = memberships[namespace] { end(former.feedID, .none) }
      memberships[namespace] = Membership(feed: feed, feedID: id, auth: auth)
    }
    feed.onTermination = { [weak self, loop] _ in
      loop.execute { [weak self] in self?.assumeIsolated { $0.end(id, .none) } }
    }
    if connection?.engine.open != nil { namespaces.forEach(join) }
    return Updates(stream: stream)
  }

  /// Asks again for a namespace that refused or removed this client.
  public func rejoin(_ namespace: String, auth: [UInt8]) {
    memberships[namespace]?.auth = auth
    if connection?.engine.open != nil { join(namespace) }
  }

  func join(_ namespace: String) {
    guard let membership = memberships[namespace] else { return }
    guard let packet = connection?.socket.connect(namespace, auth: membership.auth) else { return }
    connection?.transport?.send(packet.messages)
  }

  func tell(_ namespace: String, _ kind: Update.Kind) {
    guard let membership = memberships[namespace] else { return }
    if case .dropped = membership.feed.yield(Update(namespace: namespace, kind: kind)) {
      end(membership.feedID, SocketIOError.tooSlow)
    }
  }

  /// Leaves the namespaces of a sequence and ends it.
  private func end(_ feedID: Int, _ error: SocketIOError?) {
    for (namespace, membership) in memberships where membership.feedID == feedID {
      memberships[namespace] = nil
      forgetAcks { $0.namespace == namespace }
      if let packet = connection?.socket.disconnect(namespace) { connection?.transport?.send(packet.messages) }
      membership.feed.finish(throwing: error)
    }
  }
}
