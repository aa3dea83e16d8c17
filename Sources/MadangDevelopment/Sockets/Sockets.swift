import MadangAPI
import MadangCore
import MadangServer
import SocketIOProtocol
import SocketIOServer

/// The open sockets of the server that answers now. Calls throw `BadCall`, and ``WorldError`` when the server has ended.
package struct Sockets: Sendable {
  /// The most sockets in one list.
  package static let limit = 1000

  let people: People
  /// Tells when a socket may have opened, joined or ended.
  let arrivals: Arrivals

  /// The open sockets, the newest first: ``limit`` at most.
  /// - Parameters:
  ///   - account: Only those of this account, which have joined a namespace: an e-mail, or the part before its `@`.
  ///   - count: How many to wait for.
  ///   - time: How long to wait, in real time.
  package func list(
    account: String? = nil, of count: Int = 1, within time: Duration = .zero
  ) async throws -> [OpenSocket] {
    var email: String?
    if let account { email = try await people.person(account).email }
    if time > .zero {
      _ = try await arrivals.list(of: count, within: time, pause: .milliseconds(20)) { [email] in
        try await sessions(of: email, at: people.server())
      }
    }
    // The server may be another one than before the wait.
    let lease = try people.server()
    return try await described(try await sessions(of: email, at: lease), at: lease)
  }

  /// The sessions of an account, or all: none if there is no such account any longer, as after a reset.
  private func sessions(of email: String?, at lease: ServerLease) async throws -> [SessionSnapshot] {
    guard let email else { return await lease.server.socketIO.sessions(limit: Self.limit) }
    let person = try await lease.answering { madang in
      try await madang.people(named: email).first { $0.email == email }
    }
    guard let person else { return [] }
    let sessions = await lease.server.socketIO.sessions(limit: .max)
    return Array(sessions.lazy.filter { $0.account == person.id.number }.prefix(Self.limit))
  }

  private func described(_ sessions: [SessionSnapshot], at lease: ServerLease) async throws -> [OpenSocket] {
    let accounts = Set(sessions.compactMap(\.account))
    let emails = try await lease.answering { madang in
      var emails: [Int64: String] = [:]
      for account in accounts { emails[account] = try await madang.email(ofAccount: account) }
      return emails
    }
    return sessions.map { OpenSocket($0, email: $0.account.flatMap { emails[$0] }) }
  }

  /// Ends sockets and resets their connections.
  /// - Parameter account: An e-mail, or the part before its `@`; nil for all sockets.
  /// - Returns: How many were ended.
  package func cut(account: String? = nil) async throws -> Int {
    var number: Int64?
    if let account { number = try await people.person(account).id.number }
    let sockets = try people.server().server.socketIO
    var cut = 0
    for session in await sockets.sessions(limit: .max) where number == nil || session.account == number {
      if await sockets.resetSession(session.id) { cut += 1 }
    }
    return cut
  }

  /// Ends one socket and resets its connection.
  /// - Parameter session: The id of its Engine.IO session.
  package func cut(session: String) async throws {
    guard try await people.server().server.socketIO.resetSession(session) else {
      throw BadCall("there is no open socket '\(session)'; GET /_dev/sockets lists them")
    }
  }
}

/// An open socket.
package struct OpenSocket: Codable, Sendable {
  /// The id of the Engine.IO session, as in entries of the journal.
  package let session: String
  package let transport: String
  /// When it was opened, by the system's clock.
  package let since: String
  /// The e-mail; nil if no namespace was joined with an account.
  package let account: String?
  package let namespaces: [String]
  /// Bytes that wait to be sent.
  package let waitingBytes: Int

  fileprivate init(_ snapshot: SessionSnapshot, email: String?) {
    (session, transport, account) = (snapshot.id, snapshot.transport.rawValue, email)
    since = WireDate.string(snapshot.handshake.issued)
    namespaces = snapshot.sockets.map(\.namespace).filter { $0 != SocketPacket.mainNamespace }.sorted()
    waitingBytes = snapshot.waitingBytes
  }
}

extension SessionSnapshot {
  /// The account number.
  fileprivate var account: Int64? { sockets.lazy.compactMap { MadangServer.account(of: $0.data) }.first }
}
