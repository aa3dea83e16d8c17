import NIOCore
import SocketIOProtocol
import SocketIOServer
import Synchronization

/// The accounts of clients that ask for a namespace, by the tokens that they show: rules for an account apply to its first packet, too. The
/// packets of a client wait until its account is known.
final class JoiningAccounts: Sendable {
  /// The most bytes that wait in one session. A session with more is closed.
  private static let maxWaitingBytes = DisturbedSession.maxWaitingBytes
  /// The most namespaces of one session that are remembered.
  private static let maxNamespaces = 1000

  private struct Session {
    /// Nil: without an account.
    var accounts: [String: Int64?] = [:]
    var waiting: [TravellingPacket] = []
    var waitingBytes = 0
  }

  /// Looks up the account of a client that shows a token in its handshake or in the payload of a CONNECT.
  typealias LookUp = @Sendable (Handshake, [UInt8]) async -> Int64?

  private let sessions = Mutex<[String: Session]>([:])

  /// The account with which a client has asked for a namespace; nil if it is not known.
  func account(in namespace: String, of session: String) -> Int64? {
    sessions.withLock { $0[session]?.accounts[namespace] ?? nil }
  }

  /// Takes over a packet of a client whose account is to be looked up first, and the packets after it.
  /// - Parameter passOn: Gets them back, in order, on the session's event loop. The account of the first one is known.
  func hold(
    _ packet: TravellingPacket, _ lookUp: @escaping LookUp,
    _ passOn: @escaping @Sendable (TravellingPacket, _ isKnown: Bool) -> Void
  ) -> Bool {
    guard packet.direction == .fromClient else { return false }
    let id = packet.sessionID
    let waits: Bool? = sessions.withLock { sessions in
      guard let session = sessions[id], !session.waiting.isEmpty else { return false }
      let size = session.waitingBytes + packet.kept.size
      guard size <= Self.maxWaitingBytes else { return nil }
      sessions[id]?.waiting.append(packet)
      sessions[id]?.waitingBytes = size
      return true
    }
    guard let waits else {
      packet.close(code: nil)
      return true
    }
    if waits { return true }
    guard let connect = packet.kept.socketPacket, connect.kind == .connect,
      connect.namespace != SocketPacket.mainNamespace
    else { return false }
    sessions.withLock { sessions in
      var session = sessions[id] ?? Session()
      (session.waiting, session.waitingBytes) = ([packet], packet.kept.size)
      sessions[id] = session
    }
    Task {
      let account = await lookUp(packet.handshake, connect.payload)
      packet.loop.execute {
        for (index, packet) in self.release(id, connect.namespace, account).enumerated() {
          passOn(packet, index == 0)
        }
      }
    }
    return true
  }

  private func release(_ id: String, _ namespace: String, _ account: Int64?) -> [TravellingPacket] {
    sessions.withLock { sessions in
      guard var session = sessions[id] else { return [] }
      defer { sessions[id] = session }
      if session.accounts.count >= Self.maxNamespaces { session.accounts = [:] }
      session.accounts[namespace] = .some(account)
      defer { (session.waiting, session.waitingBytes) = ([], 0) }
      return session.waiting
    }
  }

  func ended(_ session: String) { sessions.withLock { _ = $0.removeValue(forKey: session) } }
}
