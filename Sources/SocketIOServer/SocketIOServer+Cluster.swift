public import SocketIOProtocol

extension SocketIOServer {
  /// `nil` without an adapter.
  public var clusterStats: ClusterStats? { cluster?.stats }
}

/// Some of the other servers did not answer an event in time.
public struct ServerSideAckError: Error, Sendable {
  /// The answers, in the order of arrival.
  public let answers: [SocketArguments]
  /// How many of the known servers left, have no handler for the event, or did not answer in time.
  public let missing: Int
}

extension SocketIOServer {
  /// Handles the events with this name that other servers of the cluster send with `serverSideEmit`. It replaces an earlier handler. It
  /// runs on an event loop: it must not block.
  ///
  /// - Parameter namespace: Only a part of the name; it need not be declared.
  public func onServerSide(
    _ event: String, in namespace: String = SocketPacket.mainNamespace,
    _ body: @escaping @Sendable (Socket.Event) -> Void
  ) {
    core.setServerSideHandler(for: event, in: namespace.asNamespace, body)
  }

  /// Sends an event to the other servers of the cluster, not to their sockets. Without an adapter it does nothing.
  public func serverSideEmit(
    _ event: String, _ arguments: SocketArguments = SocketArguments(), in namespace: String = SocketPacket.mainNamespace
  ) {
    cluster?.publish(.serverSide(nil, namespace: namespace.asNamespace, event: event, arguments))
  }

  /// Sends an event to the other servers of the cluster, and waits until all known servers have answered.
  ///
  /// - Returns: One answer for each server, in the order of arrival; empty without other servers.
  /// - Throws: `ServerSideAckError`, with the answers so far, if not all answered in time.
  public func serverSideEmit(
    _ event: String, _ arguments: SocketArguments = SocketArguments(),
    in namespace: String = SocketPacket.mainNamespace, timeout: Duration
  ) async throws -> [SocketArguments] {
    guard let cluster, let loop = core.shards.first?.loop else { return [] }
    let outcome = await cluster.gather(on: loop, timeout: timeout) { number in
      .serverSide(number, namespace: namespace.asNamespace, event: event, arguments)
    } _: { reply -> ServerGathering<SocketArguments>.Part? in
      guard case .answered(let answer) = reply else { return nil }
      return .init(elements: answer.map { [$0] } ?? [], isRefusal: answer == nil)
    }
    guard outcome.silent == 0 else { throw ServerSideAckError(answers: outcome.found, missing: outcome.silent) }
    return outcome.found
  }

  /// Sends an event with these values as arguments to the other servers of the cluster, not to their sockets.
  ///
  /// - Throws: `EncodingError`; then nothing was sent.
  public func serverSideEmit<each Value: Encodable>(
    _ event: String, _ values: repeat each Value, in namespace: String = SocketPacket.mainNamespace
  ) throws {
    serverSideEmit(event, try SocketArguments(encoding: repeat each values), in: namespace)
  }

  /// Sends an event with these values as arguments to the other servers of the cluster, and waits until all known servers have answered.
  ///
  /// - Throws: `ServerSideAckError` as for raw arguments, `EncodingError`, or `DecodingError` if an answer has another type.
  public func serverSideEmit<each Value: Encodable, Answer: Decodable>(
    _ event: String, _ values: repeat each Value, in namespace: String = SocketPacket.mainNamespace,
    timeout: Duration, answers: Answer.Type
  ) async throws -> [Answer] {
    let arguments = try SocketArguments(encoding: repeat each values)
    return try await serverSideEmit(event, arguments, in: namespace, timeout: timeout).map { try $0.decode(answers) }
  }
}
