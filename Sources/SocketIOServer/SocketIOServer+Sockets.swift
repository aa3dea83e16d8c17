import Logging
import SocketIOProtocol

extension SocketIOServer {
  /// The sockets that the target selects, in no particular order. Includes those of other servers that answer within
  /// `ClusterSettings.requestTimeout`; missing answers are logged.
  public func sockets(in target: BroadcastTarget) async -> [SocketSnapshot] {
    guard let cluster = cluster(for: target), let loop = core.shards.first?.loop else {
      return await core.sockets(in: target)
    }
    async let own = core.sockets(in: target)
    let others = await cluster.gather(on: loop, timeout: cluster.settings.requestTimeout) { number in
      .fetch(number, target)
    } _: { reply -> ServerGathering<SocketSnapshot>.Part? in
      guard case .sockets(let sockets, let isLast) = reply else { return nil }
      return .init(elements: sockets, isLast: isLast)
    }
    if others.silent > 0 {
      core.advise(
        .warning, "Not all servers of the cluster reported their sockets", metadata: ["silent": "\(others.silent)"])
    }
    return await own + others.found
  }

  /// The number of sockets that the target selects. Includes those of other servers that answer within `ClusterSettings.requestTimeout`.
  /// For a local target nothing is sent.
  public func socketCount(in target: BroadcastTarget) async -> Int {
    guard cluster(for: target) == nil else { return await sockets(in: target).count }
    return await core.gather(target) { $0.namespaces[target.namespace]?.count(in: target) ?? 0 }.reduce(0, +)
  }

  /// Adds the sockets that the target selects to rooms, including sockets of lost clients that may return. Later broadcasts of the same
  /// thread reach them there.
  public func join(_ rooms: Set<String>, for target: BroadcastTarget) {
    cluster(for: target)?.publish(.join(rooms, target))
    core.join(rooms, for: target)
  }

  /// Removes the sockets that the target selects from rooms.
  public func leave(_ rooms: Set<String>, for target: BroadcastTarget) {
    cluster(for: target)?.publish(.leave(rooms, target))
    core.leave(rooms, for: target)
  }

  /// Removes the sockets that the target selects from their namespace. Their sessions stay open unless `closingSessions`. Lost clients of
  /// such sockets cannot return to them.
  public func disconnectSockets(in target: BroadcastTarget, closingSessions: Bool = false) {
    cluster(for: target)?.publish(.disconnect(target, closingSessions: closingSessions))
    core.disconnectSockets(in: target, closingSessions: closingSessions)
  }

  /// Removes the sockets of a namespace for which the predicate is true, on this server only; their sessions stay open. No lost client of
  /// the namespace can return to its socket.
  public func disconnectSockets(
    in namespace: String, where matches: @escaping @Sendable (Socket) -> Bool = { _ in true }
  ) {
    let target = BroadcastTarget(namespace: namespace)
    core.recovery?.forgetParked(target)
    core.change(target) { if matches($0) { $0.dismiss(closingSession: false) } }
  }
}
