import CPostgres
import Foundation
import SocketIOServer

/// Why a request to PostgreSQL failed.
enum PostgresFailure: Error {
  /// The connection can no longer be used.
  case lost(String)
  /// Only a statement failed.
  case refused(String)

  var reason: String {
    switch self {
    case .lost(let reason), .refused(let reason): reason.trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }
}

/// One listening connection to PostgreSQL. It belongs to one thread. Its calls block, but no longer than the time limit of an answer.
final class PostgresSession {
  private let connection: OpaquePointer
  private let adapter: PostgresAdapter
  private var number: UInt64 = 0
  /// The extra time for an answer to arrive after the server's own time limit.
  private static let answerGrace = Duration.seconds(2)

  init(_ adapter: PostgresAdapter, _ server: SocketIOServer.ServerID) throws(PostgresFailure) {
    self.adapter = adapter
    // The URL comes after these defaults, so it overrides them. A dead peer is detected by keepalive probes without acknowledgement.
    let settings = [
      ("application_name", "socketio"), ("connect_timeout", "\(max(2, adapter.connectTimeout.components.seconds))"),
      ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
      ("tcp_user_timeout", "10000"), ("dbname", adapter.url), ("client_encoding", "UTF8"),
    ]
    guard let connection = Self.connect(settings) else { throw .lost("out of memory") }
    self.connection = connection
    guard PQstatus(connection) == CONNECTION_OK else { throw lost }
    guard PQsetnonblocking(connection, 1) == 0 else { throw lost }
    PQsetNoticeProcessor(connection, { _, _ in }, nil)
    // Messages need not survive a crash: commits do not wait for the disk, and NOTIFY holds its lock only briefly.
    let (seconds, attoseconds) = adapter.statementTimeout.components
    let limit = max(1, seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    try run("SET synchronous_commit = off; SET statement_timeout = \(limit); SET lock_timeout = \(limit)")
    try makeTable()
    try run(#"LISTEN "\#(adapter.channel)"; LISTEN "\#(adapter.channel(of: server))""#)
  }

  deinit { PQfinish(connection) }

  private static func connect(_ settings: [(String, String)]) -> OpaquePointer? {
    let keys = settings.map { strdup($0.0) }
    let values = settings.map { strdup($0.1) }
    defer { for pointer in keys + values { free(pointer) } }
    return PQconnectdbParams(keys.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 1)
  }

  private func makeTable() throws(PostgresFailure) {
    guard adapter.createsTable else { return }
    let found = try query("SELECT to_regclass($1) IS NOT NULL", [.text(adapter.quotedTable)])
    guard found.first != Array("t".utf8) else { return }
    // Servers that start at the same time create it one after the other.
    try run(
      """
      SELECT pg_advisory_xact_lock(hashtext('\(adapter.attachmentsTable)'));
      CREATE UNLOGGED TABLE IF NOT EXISTS \(adapter.quotedTable) (
        id bigserial PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now(), payload bytea NOT NULL)
      """)
  }

  // MARK: Sending

  /// Sends messages that fit into a payload, in order.
  func notify(_ items: [Outbox.Item]) throws(PostgresFailure) {
    var payloads: [[UInt8]] = []
    for item in items {
      number += 1
      payloads.append(NotificationPayload.text(for: item.message, number: number))
    }
    // Channels and payloads contain no special characters of array texts.
    let channels = "{\(items.map { "\"\($0.channel)\"" }.joined(separator: ","))}"
    let texts = [UInt8(ascii: "{")] + payloads.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "}")]
    _ = try query(
      "SELECT pg_notify(c, p) FROM unnest($1::text[], $2::text[]) AS t(c, p)",
      [.text(channels), .bytes(texts, isText: true)])
  }

  /// Sends a message through the table.
  func attach(_ item: Outbox.Item) throws(PostgresFailure) {
    _ = try query(
      """
      WITH stored AS (INSERT INTO \(adapter.quotedTable) (payload) VALUES ($2) RETURNING id)
      SELECT pg_notify($1, 'a' || id) FROM stored
      """, [.text(item.channel), .bytes(item.message, isText: false)])
  }

  /// Removes expired messages from the table.
  func clean() throws(PostgresFailure) {
    let seconds = adapter.attachmentLifetime.components.seconds
    _ = try query(
      "DELETE FROM \(adapter.quotedTable) WHERE created_at < now() - make_interval(secs => $1)", [.text("\(seconds)")])
  }

  // MARK: Receiving

  var descriptor: CInt { PQsocket(connection) }

  /// The received payloads of other servers, in order.
  func notifications() throws(PostgresFailure) -> [[UInt8]] {
    guard PQconsumeInput(connection) == 1 else { throw lost }
    var payloads: [[UInt8]] = []
    while let notification = PQnotifies(connection) {
      defer { PQfreemem(notification) }
      guard notification.pointee.be_pid != PQbackendPID(connection), let text = notification.pointee.extra else {
        continue
      }
      payloads.append(Array(UnsafeRawBufferPointer(start: text, count: strlen(text))))
    }
    return payloads
  }

  /// The message with this id in the table; `nil` if it is gone or too large.
  func attachment(_ id: Int64) throws(PostgresFailure) -> [UInt8]? {
    try query(
      "SELECT payload FROM \(adapter.quotedTable) WHERE id = $1::bigint AND octet_length(payload) <= $2::int",
      [.text("\(id)"), .text("\(Int32(clamping: adapter.maxMessageBytes))")], isBinary: true
    ).first
  }

  // MARK: Statements

  private enum Parameter {
    case text(String)
    case bytes([UInt8], isText: Bool)

    var bytes: [UInt8] {
      switch self {
      case .text(let text): Array(text.utf8) + [0]
      case .bytes(let bytes, let isText): bytes + (isText ? [0] : [])
      }
    }

    var isBinary: Bool {
      if case .bytes(_, isText: false) = self { true } else { false }
    }
  }

  private func run(_ script: String) throws(PostgresFailure) {
    guard PQsendQuery(connection, script) == 1 else { throw lost }
    PQclear(try answer())
  }

  /// Runs a statement, and returns the first column of its rows.
  private func query(
    _ sql: String, _ parameters: [Parameter], isBinary: Bool = false
  ) throws(PostgresFailure) -> [[UInt8]] {
    let values = parameters.map(\.bytes)
    var offsets: [Int] = []
    var bytes: [UInt8] = []
    for value in values {
      offsets.append(bytes.count)
      bytes += value
    }
    let sent = bytes.withUnsafeBytes { buffer in
      let pointers = offsets.map { buffer.baseAddress?.advanced(by: $0).assumingMemoryBound(to: CChar.self) }
      return PQsendQueryParams(
        connection, sql, CInt(pointers.count), nil, pointers, values.map { CInt(clamping: $0.count) },
        parameters.map { $0.isBinary ? 1 : 0 }, isBinary ? 1 : 0)
    }
    guard sent == 1 else { throw lost }
    let result = try answer()
    defer { PQclear(result) }
    return (0..<PQntuples(result)).map { row in
      Array(
        UnsafeRawBufferPointer(start: PQgetvalue(result, row, 0), count: Int(PQgetlength(result, row, 0))))
    }
  }

  /// The answer to the sent statement; the caller must clear it.
  private func answer() throws(PostgresFailure) -> OpaquePointer {
    guard let result = PostgresAnswer.last(on: connection, until: .now + adapter.statementTimeout + Self.answerGrace)
    else {
      throw .lost("PostgreSQL has not answered in time")
    }
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return result
    default:
      defer { PQclear(result) }
      guard PQstatus(connection) == CONNECTION_OK else { throw lost }
      throw .refused(String(cString: PQresultErrorMessage(result)))
    }
  }

  private var lost: PostgresFailure { .lost(String(cString: PQerrorMessage(connection))) }
}
