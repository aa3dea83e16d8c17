public import SocketIOServer

/// Connects the Socket.IO servers that share a PostgreSQL database: messages travel by `NOTIFY`, those that are too large
/// for it through a table.
///
/// Each server holds one connection of its own, which must be to the primary and not through a pooler that changes
/// connections between statements. A connection that is lost is made anew, each time after a longer, random wait. Messages
/// are lost while it is away: those of the others always, its own beyond what the queue keeps. Nothing ever waits for
/// PostgreSQL.
///
/// Whoever may connect to the database may `NOTIFY`, and so send messages to the cluster. They may `LISTEN` as well, and so
/// read what servers tell each other: broadcasts, acknowledgements, and, when they ask, of each socket its rooms, its data,
/// the address, query and header fields of its client, but for those of `ClusterSettings.withheldFields`.
public struct PostgresAdapter: SocketIOAdapter {
  /// Where the database is, as libpq takes it: `postgres://user:password@host:port/name`.
  public var url: String
  /// The name that the servers of one cluster have in common in the database: 1 to 40 letters, digits and `_` of ASCII.
  public var channel = "socketio"
  /// The table of large messages, which may be named with its schema: letters, digits, `_` and dots of ASCII.
  public var attachmentsTable = "socketio_attachments"
  /// Whether the table is created when it is not there. Its columns are `id bigserial PRIMARY KEY`, `created_at
  /// timestamptz NOT NULL DEFAULT now()` and `payload bytea NOT NULL`.
  public var createsTable = true
  /// How long a large message stays in the table. Longer than a server may take to read it.
  public var attachmentLifetime: Duration = .seconds(60)
  /// How often each server removes large messages whose time is over.
  public var cleanupInterval: Duration = .seconds(30)
  /// The largest message, in bytes; larger ones are dropped by who sends them and not read by others.
  public var maxMessageBytes = 8 * 1024 * 1024
  /// What may wait to be sent, in bytes and in messages. More is dropped.
  public var maxQueuedBytes = 16 * 1024 * 1024
  public var maxQueuedMessages = 10_000
  /// How long a message may wait to be sent. Then it is dropped: nobody wants to be disconnected, or told news, by a
  /// connection that comes back after an hour.
  public var maxQueueAge: Duration = .seconds(10)
  /// How long PostgreSQL may work at a statement. If there is no answer two seconds later, the connection is made anew.
  public var statementTimeout: Duration = .seconds(8)
  /// How long the end of a server waits until what is queued is sent.
  public var closeTimeout: Duration = .seconds(5)
  /// How long making a connection may take.
  public var connectTimeout: Duration = .seconds(10)
  /// The longest wait before the first attempt to connect anew; it doubles with each attempt that fails.
  public var reconnectDelay: Duration = .milliseconds(100)
  public var maxReconnectDelay: Duration = .seconds(5)

  public init(url: String) {
    self.url = url
  }

  /// - Precondition: `channel` and `attachmentsTable` are names as they are described there.
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

  /// The table as it stands in SQL.
  var quotedTable: String {
    attachmentsTable.split(separator: ".").map { "\"\($0)\"" }.joined(separator: ".")
  }

  /// The channel that only this server listens to.
  func channel(of server: SocketIOServer.ServerID) -> String { "\(channel)#\(server)" }
}
