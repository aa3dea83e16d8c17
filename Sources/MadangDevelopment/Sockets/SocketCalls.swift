import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangServer
import SocketIOProtocol
import SocketIOServer

/// Calls about open sockets: `GET /_dev/sockets`, `DELETE /_dev/sockets` and `DELETE /_dev/sockets/SESSION`.
struct SocketCalls: Sendable {
  let people: People

  /// The most sockets in one answer.
  static let limit = 1000

  /// The answer; nil if it has no such path.
  func respond(to call: DevelopmentCall) async throws -> Response? {
    switch (call.method, call.path.count) {
    case (.get, 1): return try await call.answer { try await list() }
    case (.delete, 1): return try await call.answer("account") { try await cut(call.query("account")) }
    case (.delete, 2):
      return try await call.done {
        guard try await people.server().server.socketIO.resetSession(call.path[1]) else {
          throw BadCall("there is no open socket '\(call.path[1])'; GET /_dev/sockets lists them")
        }
      }
    default: return nil
    }
  }

  /// Ends the sockets of an account, or all.
  private func cut(_ account: String?) async throws -> CutSockets {
    var number: Int64?
    if let account { number = try await people.person(account).id.number }
    let sockets = try people.server().server.socketIO
    var cut = 0
    for session in await sockets.sessions(limit: .max) where number == nil || session.account == number {
      if await sockets.resetSession(session.id) { cut += 1 }
    }
    return CutSockets(cut: cut)
  }

  private func list() async throws -> [OpenSocket] {
    let lease = try people.server()
    let sessions = await lease.server.socketIO.sessions(limit: Self.limit)
    let accounts = Set(sessions.compactMap(\.account))
    let emails = try await lease.answering { madang in
      var emails: [Int64: String] = [:]
      for account in accounts { emails[account] = try await madang.email(ofAccount: account) }
      return emails
    }
    return sessions.map { OpenSocket($0, email: $0.account.flatMap { emails[$0] }) }
  }
}

/// How many sockets a call ended.
package struct CutSockets: Codable, Sendable {
  package let cut: Int
}

/// An open socket in answers.
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
  let waitingBytes: Int

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
