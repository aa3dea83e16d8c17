public import HTTPTypes
public import SocketIOProtocol

extension SocketIOServer {
  /// How a server of a cluster watches the others.
  public struct ClusterSettings: Sendable {
    /// How often a server tells the others that it is there.
    public var heartbeatInterval: Duration = .seconds(5)
    /// How long nothing may come of a server before nobody waits for its answers any more. Longer than
    /// `heartbeatInterval`.
    public var heartbeatTimeout: Duration = .seconds(10)
    /// How long `sockets(in:)` waits for the answers of the other servers.
    public var requestTimeout: Duration = .seconds(5)
    /// Header fields of clients that other servers are not told: whoever can listen to the adapter would read them.
    public var withheldFields: Set<HTTPField.Name> = [.cookie, .authorization, .proxyAuthorization]

    public init() {}
  }

  /// What is known of the cluster, at one moment.
  public struct ClusterStats: Equatable, Sendable {
    /// The other servers that were heard of lately.
    public var servers: Int
    public var isConnected: Bool
    /// Messages of other servers, since the start.
    public var received: Int
    /// Messages that the adapter could not send, since the start.
    public var dropped: Int
    /// Messages that were skipped as no server of this version sends them, since the start.
    public var unreadable: Int

    public init(servers: Int, isConnected: Bool, received: Int, dropped: Int, unreadable: Int) {
      self.servers = servers
      self.isConnected = isConnected
      self.received = received
      self.dropped = dropped
      self.unreadable = unreadable
    }
  }

  /// `nil` without an adapter.
  public var clusterStats: ClusterStats? { core.cluster?.stats }
}

/// Not every other server answered an event in time.
public struct ServerSideAckError: Error, Sendable {
  /// The answers that came, in the order in which they came.
  public let answers: [SocketArguments]
  /// How many of the known servers left, have no handler for the event, or did not answer in time.
  public let missing: Int
}

extension SocketIOServer {
  /// Handles the events with this name that other servers of the cluster send with `serverSideEmit`; it takes the place of
  /// an earlier handler for it. It runs on an event loop: it must not block.
  ///
  /// - Parameter namespace: It is no more than a part of the name, and need not be declared.
  public func onServerSide(
    _ event: String, in namespace: String = SocketPacket.mainNamespace,
    _ body: @escaping @Sendable (Socket.Event) -> Void
  ) {
    core.setServerSideHandler(for: event, in: namespace.asNamespace, body)
  }

  /// Sends an event to the other servers of the cluster, not to their sockets. Without an adapter nobody gets it.
  public func serverSideEmit(
    _ event: String, _ arguments: SocketArguments = SocketArguments(), in namespace: String = SocketPacket.mainNamespace
  ) {
    core.cluster?.publish(.serverSide(nil, namespace: namespace.asNamespace, event: event, arguments))
  }

  /// Sends an event to the other servers of the cluster and waits until all known ones have answered.
  ///
  /// - Returns: One answer for each server, in the order in which they came; none without other servers.
  /// - Throws: `ServerSideAckError`, with the answers that came, when not all answered in time.
  public func serverSideEmit(
    _ event: String, _ arguments: SocketArguments = SocketArguments(),
    in namespace: String = SocketPacket.mainNamespace, timeout: Duration
  ) async throws -> [SocketArguments] {
    guard let cluster = core.cluster, let loop = core.shards.first?.loop else { return [] }
    let outcome = await cluster.gather(on: loop, timeout: timeout) { number in
      .serverSide(number, namespace: namespace.asNamespace, event: event, arguments)
    } _: { reply -> ServerGathering<SocketArguments>.Part? in
      guard case .answered(let answer) = reply else { return nil }
      return .init(elements: answer.map { [$0] } ?? [], isRefusal: answer == nil)
    }
    guard outcome.silent == 0 else { throw ServerSideAckError(answers: outcome.found, missing: outcome.silent) }
    return outcome.found
  }

  /// Sends an event whose arguments are these values to the other servers of the cluster, not to their sockets.
  ///
  /// - Throws: `EncodingError`; nothing was sent then.
  public func serverSideEmit<each Value: Encodable>(
    _ event: String, _ values: repeat each Value, in namespace: String = SocketPacket.mainNamespace
  ) throws {
    serverSideEmit(event, try SocketArguments(encoding: repeat each values), in: namespace)
  }

  /// Sends an event whose arguments are these values to the other servers of the cluster, and waits until all known ones have answered.
  ///
  /// - Throws: `ServerSideAckError` as for raw arguments, `EncodingError`, or `DecodingError` when an answer is of another
  ///   kind.
  public func serverSideEmit<each Value: Encodable, Answer: Decodable>(
    _ event: String, _ values: repeat each Value, in namespace: String = SocketPacket.mainNamespace,
    timeout: Duration, answers: Answer.Type
  ) async throws -> [Answer] {
    let arguments = try SocketArguments(encoding: repeat each values)
    return try await serverSideEmit(event, arguments, in: namespace, timeout: timeout).map { try $0.decode(answers) }
  }
}
