/// Connects servers to a cluster, so that a broadcast of one server reaches the sockets of all.
///
/// An adapter carries messages without reading them. Delivery is at most once, as with the adapters of the reference server: a lost message
/// is not sent again. `InMemoryAdapter` connects the servers of one process; `PostgresAdapter`, in the library `SocketIOPostgres`, connects
/// servers that share a database.
public protocol SocketIOAdapter: Sendable {
  /// Creates a connection for one server. It is inactive until it is started.
  func makeConnection(for server: SocketIOServer.ServerID) -> any SocketIOAdapterConnection
}

/// One server's connection to the cluster.
public protocol SocketIOAdapterConnection: Sendable {
  /// Starts connecting, and reconnects whenever the connection is lost. Returns at once.
  ///
  /// - Parameter receive: Called with every event, from any thread. It does not block. The messages of one server must arrive in the order
  ///   in which that server published them. Messages of this connection itself must not arrive.
  func start(_ receive: @escaping @Sendable (SocketIOAdapterEvent) -> Void)

  /// Sends a message to the other servers of the cluster. It never waits: a message that can be neither sent nor queued is dropped and
  /// reported as `SocketIOAdapterEvent.dropped`.
  ///
  /// - Parameter server: The only recipient; `nil` for all others.
  func publish(_ message: [UInt8], to server: SocketIOServer.ServerID?)

  /// Closes the connection. If it is established, messages that were published before are sent first.
  func close() async
}

/// What an adapter's connection reports to its server.
public enum SocketIOAdapterEvent: Sendable {
  /// The connection is established, for the first time or again.
  case connected
  /// The connection is lost or could not be made. Messages of other servers are missed until `connected`.
  case disconnected(reason: String)
  /// A message of another server. The server checks it like any input from the network.
  case message([UInt8])
  /// This many messages were not sent.
  case dropped(Int, reason: String)
  /// Data arrived that is not a message.
  case unreadable(reason: String)
  /// Another failure; the connection is still established.
  case problem(reason: String)
}

extension SocketIOServer {
  /// Identifies a server within its cluster. Each `SocketIOServer` makes a new one.
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
