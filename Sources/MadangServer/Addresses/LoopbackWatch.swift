import Hummingbird
import Logging
import MadangCore
import MadangOperations
import NIOCore
import SocketIOProtocol
import SocketIOServer
import Synchronization

/// Notices signs of a proxy on this machine that is not in the settings: all its clients share one loopback address.
///
/// Each sign is logged once, and `madang doctor` asks for them.
final class LoopbackWatch: Sendable {
  private struct Seen {
    var signs: Set<LoopbackSign> = []
    var account: Int64?
  }

  private let proxies: [IPNetwork]
  /// Whether the server uses TLS itself: then clients call it by its name, also from this machine, and only a header
  /// reveals a proxy.
  private let hasTLS: Bool
  private let logger: Logger
  private let seen = Mutex(Seen())
  /// Whether all signs were noticed.
  private let isDone = Atomic(false)

  init(proxies: [IPNetwork], hasTLS: Bool, logger: Logger) {
    (self.proxies, self.hasTLS, self.logger) = (proxies, hasTLS, logger)
  }

  /// The signs noticed since the start.
  var signs: [LoopbackSign] { seen.withLock { seen in LoopbackSign.allCases.filter(seen.signs.contains) } }

  /// - Parameter account: The caller's account, once it is known.
  func saw(_ request: Request, from peer: SocketAddress?, account: Int64? = nil) {
    guard !isDone.load(ordering: .relaxed), let peer = peer.flatMap({ IPAddress($0) }), peer.isLoopback,
      !proxies.contains(where: { $0.contains(peer) })
    else { return }
    if ClientAddress.isForwarded(request.headers) { note(.forwardingHeader) }
    guard !hasTLS else { return }
    if let authority = request.head.authority, Authority(authority)?.isLocal != true {
      note(.foreignHost, ["host": "\(LogText(authority))"])
    }
    guard let account else { return }
    let isAnother = seen.withLock { seen in
      guard let first = seen.account else {
        seen.account = account
        return false
      }
      return first != account
    }
    if isAnother { note(.severalAccounts) }
  }

  private func note(_ sign: LoopbackSign, _ metadata: Logger.Metadata = [:]) {
    let isNew = seen.withLock { seen in
      let isNew = seen.signs.insert(sign).inserted
      if seen.signs.count == LoopbackSign.allCases.count { isDone.store(true, ordering: .relaxed) }
      return isNew
    }
    guard isNew else { return }
    logger.warning(
      "\(LoopbackSign.problem)",
      metadata: metadata.merging(["sign": "\(sign.words)", "cure": "\(LoopbackSign.cure)"]) { first, _ in first })
  }
}
