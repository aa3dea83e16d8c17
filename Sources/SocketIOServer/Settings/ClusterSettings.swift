public import HTTPTypes

extension SocketIOServer {
  /// How a server of a cluster monitors the others.
  public struct ClusterSettings: Sendable {
    /// How often a server sends a heartbeat to the others.
    public var heartbeatInterval: Duration = .seconds(5)
    /// After this much silence, a server's answers are not awaited any longer. It must be longer than `heartbeatInterval`.
    public var heartbeatTimeout: Duration = .seconds(10)
    /// How long `sockets(in:)` waits for the answers of the other servers.
    public var requestTimeout: Duration = .seconds(5)
    /// Header fields of clients that are withheld from other servers, because everyone with access to the adapter can read them.
    public var withheldFields: Set<HTTPField.Name> = [.cookie, .authorization, .proxyAuthorization]

    public init() {}
  }
}
