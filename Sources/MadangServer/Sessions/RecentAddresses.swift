import Logging
import MadangCore
import MadangOperations
import Synchronization

/// Addresses from which accounts recently made authenticated calls. They admit sockets without credentials (`socketAccess`
/// = `recent`, wire contract, Socket access).
///
/// Kept in memory for speed and written to the database from time to time, so that sockets can return after a restart.
final class RecentAddresses: Sendable {
  private struct Key: Hashable {
    let address: String
    let user: Int64
  }

  /// Milliseconds after which a pair is written again: the precision of the window.
  private static let interval: Int64 = 60_000
  private static let maxPairs = 100_000

  private let madang: Madang
  /// The connects that wait for a call from their address.
  private let held: HeldConnects
  private let secret: [UInt8]
  private let notices: CommitNotices?
  /// When a pair was last written, by the server's steady clock.
  private let noted = Mutex<[Key: Int64]>([:])
  /// How many sockets keep a pair fresh.
  private let connected = Mutex<[Key: Int]>([:])

  /// - Parameters:
  ///   - secret: The installation's secret, from which hashes of addresses in notices are derived.
  ///   - notices: Notifies other servers; nil for a single server.
  init(madang: Madang, held: HeldConnects, secret: [UInt8], notices: CommitNotices?) {
    self.madang = madang
    self.held = held
    self.secret = Secrets.key(for: "addresses", from: secret)
    self.notices = notices
  }

  /// The key under which a connect from an address waits.
  func key(_ address: String) -> HeldConnects.Key { .address(KeyHash(address, secret: secret)) }

  /// Applies another server's notice of addresses.
  func apply(_ notice: CommitNotices.Notice) {
    for address in notice.addresses { held.ring(.address(address)) }
  }

  /// Notes an authenticated call or a connected socket. A possibly shared address identifies no account.
  ///
  /// - Parameter always: Writes even if the pair was written recently: it may have been removed since.
  func saw(_ user: Int64, at client: ClientAddress, always: Bool = false) {
    guard !client.isShared else { return }
    saw(Key(address: client.text, user: user), always: always)
  }

  private func saw(_ key: Key, always: Bool = false) {
    let (time, now) = (madang.clock.now, madang.clock.steady)
    let isDue = noted.withLock { noted in
      guard always || noted[key].map({ now - $0 >= Self.interval }) ?? true else { return false }
      if noted.count >= Self.maxPairs { noted.removeAll() }
      noted[key] = now
      return true
    }
    guard isDue else { return }
    // Unstructured: the call must neither wait for this write nor fail with it.
    Task { [self, madang, held] in
      do {
        try await madang.note(key.user, at: key.address, time: time)
        held.ring(self.key(key.address))
        notices?.add { $0.addresses.insert(KeyHash(key.address, secret: secret)) }
      } catch {
        // The next call is written again.
        noted.withLock { if $0[key] == now { $0[key] = nil } }
        madang.logger.warning("an address could not be recorded", metadata: ["error": "\(String(reflecting: error))"])
      }
    }
  }

  /// An admitted socket keeps its account's address fresh until it disconnects, and for the window after that.
  func connected(_ user: Int64, at client: ClientAddress) {
    guard !client.isShared else { return }
    let key = Key(address: client.text, user: user)
    connected.withLock { $0[key, default: 0] += 1 }
    saw(key)
  }

  /// - Parameter isFresh: Whether the socket was admitted until its end; a disconnected one renews nothing.
  func disconnected(_ user: Int64, at client: ClientAddress, isFresh: Bool) {
    guard !client.isShared else { return }
    let key = Key(address: client.text, user: user)
    if isFresh { saw(key) }
    connected.withLock { connected in
      connected[key, default: 1] -= 1
      if connected[key] == 0 { connected[key] = nil }
    }
  }

  /// Whether admitted sockets keep an address fresh now.
  var hasConnected: Bool { connected.withLock { !$0.isEmpty } }

  /// Notes the addresses of connected sockets; called periodically.
  func noteConnected() {
    for key in connected.withLock({ Array($0.keys) }) { saw(key) }
  }
}
