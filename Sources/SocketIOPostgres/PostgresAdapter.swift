public import SocketIOServer

/// Connects Socket.IO servers that share a PostgreSQL database. Messages travel by `NOTIFY`, large ones through a table.
///
/// Each server holds one connection, which must be to the primary, and not through a pooler that changes connections between statements. A
/// lost connection is reopened after a random, growing delay. Meanwhile messages are lost: all messages of other servers, and this server's
/// own beyond its queue. The server never waits for PostgreSQL.
///
/// Everyone who can connect to the database can use `NOTIFY`, and so send messages to the cluster. They can also use `LISTEN`, and so read
/// the servers' messages: broadcasts, acknowledgements, and, on request, each socket's rooms, data, and its client's address, query and
/// header fields, except `ClusterSettings.withheldFields`.
public struct PostgresAdapter: SocketIOAdapter {
  /// The database's URL for libpq: `postgres://user:password@host:port/name`.
  public var url: String
  /// The name that all servers of one cluster share in the database: 1 to 40 ASCII letters, digits and `_`.
  public var channel = "socketio"
  /// The table of large messages, optionally with its schema: ASCII letters, digits, `_` and dots.
  public var attachmentsTable = "socketio_attachments"
  /// Whether the table is created if it is missing. Its columns are `id bigserial PRIMARY KEY`, `created_at timestamptz NOT NULL DEFAULT
  /// now()` and `payload bytea NOT NULL`.
  public var createsTable = true
  /// How long a large message stays in the table. It must be longer than a server may take to read it.
  public var attachmentLifetime: Duration = .seconds(60)
  /// How often each server removes expired large messages.
  public var cleanupInterval: Duration = .seconds(30)
  /// The largest message, in bytes. Larger messages are dropped by the sender and ignored by recipients.
  public var maxMessageBytes = 8 * 1024 * 1024
  /// The most bytes, and the most messages, that may wait to be sent; further messages are dropped.
  public var maxQueuedBytes = 16 * 1024 * 1024
  public var maxQueuedMessages = 10_000
  /// How long a message may wait to be sent before it is dropped: after a long outage, old events and requests to disconnect must not be
  /// executed.
  public var maxQueueAge: Duration = .seconds(10)
  /// Time limit of PostgreSQL for a statement. If there is no answer two seconds later, the connection is reopened.
  public var statementTimeout: Duration = .seconds(8)
  /// How long `close` waits until queued messages are sent.
  public var closeTimeout: Duration = .seconds(5)
  /// Time limit for opening a connection.
  public var connectTimeout: Duration = .seconds(10)
  /// The longest delay before the first attempt to reconnect; it doubles with each failure.
  public var reconnectDelay: Duration = .milliseconds(100)
  public var maxReconnectDelay: Duration = .seconds(5)

  public init(url: String) {
    self.url = url
  }

  ///   - Precondition: `channel` and `attachmentsTable` are valid names, as described there.
  public func makeConnection(for server: SocketIOServer.ServerID) -> any SocketIOAdapterConnection {
    precondition(
      (1...40).contains(channel.utf8.count) && channel.utf8.allSatisfy(Self.isWordByte),
      "the channel of a PostgresAdapter is 1 to 40 letters, digits and _ of ASCII")
    precondition(
      attachmentsTable.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
        !$0.isEmpty && $0.allSatisfy(Self.isWordByte)
      }, "the attachmentsTable of a PostgresAdapter is letters, digits, _ and dots of ASCII")
    return PostgresLink(self, server)
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// The table's name in SQL.
  var quotedTable: String {
    attachmentsTable.split(separator: ".").map { "\"\($0)\"" }.joined(separator: ".")
  }

  /// The channel to which only this server listens.
  func channel(of server: SocketIOServer.ServerID) -> String { "\(channel)#\(server)" }
}
