/// Connects servers to a cluster, so that a broadcast of one reaches the sockets of all.
///
/// An adapter carries messages and does not read them: what they mean is the server's business. Delivery is at most once,
/// as with the adapters of the reference server: a message that is lost is not sent again. `InMemoryAdapter` connects the
/// servers of one process; `PostgresAdapter`, in the library `SocketIOPostgres`, those that share a database.
public protocol SocketIOAdapter: Sendable {
  /// A connection for one server. It does nothing until it is started.
  func makeConnection(for server: SocketIOServer.ServerID) -> any SocketIOAdapterConnection
}

/// One server's way to the others.
public protocol SocketIOAdapterConnection: Sendable {
  /// Begins to connect, and to connect anew whenever the connection is lost. Returns at once.
  ///
  /// - Parameter receive: To be called with all that happens. It does not block, and may be called from any thread. It
  ///   must get the messages of a server in the order in which that server published them, and none that this
  ///   connection published.
  func start(_ receive: @escaping @Sendable (SocketIOAdapterEvent) -> Void)

  /// Sends a message to the other servers of the cluster. It never waits: what cannot be sent or queued is dropped, and
  /// reported as `SocketIOAdapterEvent.dropped`.
  ///
  /// - Parameter server: The only server that is to get it. `nil`: all others.
  func publish(_ message: [UInt8], to server: SocketIOServer.ServerID?)

  /// Ends the connection. If it stands, what was published before is sent first.
  func close() async
}

/// What an adapter's connection reports to its server.
public enum SocketIOAdapterEvent: Sendable {
  /// The connection stands, for the first time or anew.
  case connected
  /// The connection is lost, or could not be made; messages of others are missed until it stands again.
  case disconnected(reason: String)
  /// A message of another server. It is checked as if it came from the network.
  case message([UInt8])
  /// So many messages were not sent.
  case dropped(Int, reason: String)
  /// Something arrived that is no message.
  case unreadable(reason: String)
  /// Something else failed; the connection stands.
  case problem(reason: String)
}

extension SocketIOServer {
  /// Tells a server from all others of its cluster. It is made anew with each `SocketIOServer`.
  public struct ServerID: Hashable, Sendable, CustomStringConvertible {
    /// A random number.
    public let number: UInt64

    init(number: UInt64) { self.number = number }

    static func random() -> Self { Self(number: .random(in: .min ... .max)) }

    /// 16 hexadecimal digits.
    public var description: String {
      let digits = String(number, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
  }
}
