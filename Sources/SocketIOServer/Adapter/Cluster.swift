import Logging
import NIOCore
import SocketIOProtocol
import Synchronization

/// A request to the other servers that is not answered yet.
protocol ClusterRequest: Sendable {
  func received(_ reply: ClusterReply, from server: SocketIOServer.ServerID)
  /// The server has left the cluster and will send no more replies.
  func lost(_ server: SocketIOServer.ServerID)
}

/// A server's membership in a cluster: the known members, requests to them, and requests from them.
final class Cluster: OtherServers {
  private struct State {
    var members = ClusterMembers()
    var requests: [ClusterMessage.RequestNumber: any ClusterRequest] = [:]
    var lastNumber: ClusterMessage.RequestNumber = 0
    var heartbeats: RepeatedTask?
    var isConnected = false
    var isClosed = false
    var received = 0
    var dropped = 0
    var unreadable = 0
  }

  let id = SocketIOServer.ServerID.random()
  let settings: SocketIOServer.ClusterSettings
  private let connection: any SocketIOAdapterConnection
  private let state = Mutex(State())

  init(_ adapter: any SocketIOAdapter, _ settings: SocketIOServer.ClusterSettings) {
    self.settings = settings
    connection = adapter.makeConnection(for: id)
  }

  /// - Parameter loop: The event loop that times the heartbeats.
  func start(_ core: ServerCore, on loop: any EventLoop) {
    connection.start { self.handle($0, core) }
    let interval = TimeAmount(settings.heartbeatInterval)
    let task = loop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in self.beat(core) }
    state.withLock { $0.heartbeats = task }
  }

  func close() async {
    let (task, requests, servers) = state.withLock { state in
      defer { state.requests = [:] }
      state.isClosed = true
      return (state.heartbeats, Array(state.requests.values), state.members.ids)
    }
    task?.cancel()
    for request in requests { for server in servers { request.lost(server) } }
    publish(.goodbye)
    await connection.close()
  }

  func publish(_ message: ClusterMessage, to server: SocketIOServer.ServerID? = nil) {
    connection.publish(message.encoded(from: id), to: server)
  }

  func broadcast(_ event: String, _ arguments: SocketArguments, to target: BroadcastTarget) {
    publish(.broadcast(target, event: event, arguments))
  }

  // MARK: Requests

  /// Starts a request. It receives the replies to its number until `end`.
  ///
  /// - Parameter make: Makes the request from its number and the servers that are expected to answer.
  func begin<Request: ClusterRequest>(
    _ make: (ClusterMessage.RequestNumber, Set<SocketIOServer.ServerID>) -> Request
  ) -> (request: Request, number: ClusterMessage.RequestNumber) {
    state.withLock { state in
      state.lastNumber += 1
      let request = make(state.lastNumber, state.isClosed ? [] : state.members.ids)
      state.requests[state.lastNumber] = request
      return (request, state.lastNumber)
    }
  }

  func end(_ number: ClusterMessage.RequestNumber) {
    state.withLock { $0.requests[number] = nil }
  }

  // MARK: Receiving

  private func handle(_ event: SocketIOAdapterEvent, _ core: ServerCore) {
    switch event {
    case .connected:
      state.withLock { $0.isConnected = true }
      core.logger.info("Connected to the cluster", metadata: ["server": "\(id)"])
      publish(.hello)
    case .disconnected(let reason):
      state.withLock { $0.isConnected = false }
      core.advise(.warning, "Not connected to the cluster: \(LogText(reason))")
    case .dropped(let count, let reason):
      state.withLock { $0.dropped += count }
      core.advise(.warning, "Messages to the cluster dropped: \(LogText(reason))", metadata: ["count": "\(count)"])
    case .unreadable(let reason):
      skip(reason, core)
    case .problem(let reason):
      core.advise(.warning, "The adapter of the cluster: \(LogText(reason))")
    case .message(let bytes):
      do throws(WireFlaw) {
        let (sender, message) = try ClusterMessage.decode(bytes)
        receive(message, from: sender, core)
      } catch {
        skip("\(error)", core)
      }
    }
  }

  private func skip(_ reason: String, _ core: ServerCore) {
    state.withLock { $0.unreadable += 1 }
    core.advise(.warning, "Message of the cluster skipped: \(LogText(reason))")
  }

  private func receive(_ message: ClusterMessage, from sender: SocketIOServer.ServerID, _ core: ServerCore) {
    if case .goodbye = message { return remove(sender, core) }
    let now = Milliseconds.uptime
    let (isOurs, isNew) = state.withLock { state in
      guard sender != id, !state.isClosed else { return (false, false) }
      state.received += 1
      return (true, state.members.note(sender, at: now))
    }
    guard isOurs else { return }
    if isNew { core.advise(.info, "A server joined the cluster", metadata: ["server": "\(sender)"]) }
    switch message {
    case .hello: publish(.heartbeat, to: sender)
    case .reply(let number, let reply): state.withLock { $0.requests[number] }?.received(reply, from: sender)
    default: perform(message, of: sender, core)
    }
  }

  private func remove(_ server: SocketIOServer.ServerID, _ core: ServerCore) {
    let (wasKnown, requests) = state.withLock { ($0.members.remove(server), Array($0.requests.values)) }
    guard wasKnown else { return }
    core.advise(.info, "A server left the cluster", metadata: ["server": "\(server)"])
    for request in requests { request.lost(server) }
  }

  // MARK: Time

  private func beat(_ core: ServerCore) {
    publish(.heartbeat)
    let time = Milliseconds.uptime - settings.heartbeatTimeout.milliseconds
    let (expired, requests) = state.withLock { ($0.members.expire(before: time), Array($0.requests.values)) }
    for server in expired {
      core.advise(.info, "A server of the cluster has fallen silent", metadata: ["server": "\(server)"])
      for request in requests { request.lost(server) }
    }
  }

  var stats: SocketIOServer.ClusterStats {
    state.withLock { state in
      SocketIOServer.ClusterStats(
        servers: state.members.count, isConnected: state.isConnected, received: state.received, dropped: state.dropped,
        unreadable: state.unreadable)
    }
  }
}

extension SocketIOServer {
  /// Statistics of the cluster.
  public struct ClusterStats: Equatable, Sendable {
    /// The other servers that sent a message recently.
    public var servers: Int
    public var isConnected: Bool
    /// Messages received from other servers since the start.
    public var received: Int
    /// Messages that the adapter could not send, since the start.
    public var dropped: Int
    /// Messages since the start that were skipped, because no server of this version sends them.
    public var unreadable: Int

    public init(servers: Int, isConnected: Bool, received: Int, dropped: Int, unreadable: Int) {
      self.servers = servers
      self.isConnected = isConnected
      self.received = received
      self.dropped = dropped
      self.unreadable = unreadable
    }
  }
}
