import Hummingbird
import Logging
import MadangCore
import NIOCore
import SocketIOProtocol
import SocketIOServer
import Synchronization

/// Notices signs of a proxy on this machine that the settings do not name: all its clients come from one loopback address.
///
/// Each sign is logged once, and `madang doctor` asks for them.
final class LoopbackWatch: Sendable {
  enum Sign: String, CaseIterable, Codable, Sendable {
    case forwardingHeader, foreignHost, severalAccounts

    /// What was seen.
    var words: String {
      switch self {
      case .forwardingHeader: "a request from a loopback address has a header that proxies write"
      case .foreignHost: "a request from a loopback address calls the server by a name that is not this machine's"
      case .severalAccounts: "several accounts call from one loopback address"
      }
    }
  }

  /// What is wrong, and what to do about it.
  static let problem =
    "a proxy seems to run on this machine that the settings do not name: all its clients share the limits of one"
  static let cure =
    "add its address to trusted.proxies and have it send X-Forwarded-For and Host (docs/host.md); if programs of this machine call, ignore this"

  private struct Seen {
    var signs: Set<Sign> = []
    var account: Int64?
  }

  private let proxies: [IPNetwork]
  /// Whether clients speak TLS to the server itself: then they call it by its name, also from this machine, and only a header shows a proxy.
  private let hasTLS: Bool
  private let logger: Logger
  private let seen = Mutex(Seen())
  /// Whether there is nothing left to notice.
  private let isDone = Atomic(false)

  init(proxies: [IPNetwork], hasTLS: Bool, logger: Logger) {
    (self.proxies, self.hasTLS, self.logger) = (proxies, hasTLS, logger)
  }

  /// The signs that were seen since the server started.
  var signs: [Sign] { seen.withLock { seen in Sign.allCases.filter(seen.signs.contains) } }

  /// - Parameter account: Who calls, once that is known.
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

  private func note(_ sign: Sign, _ metadata: Logger.Metadata = [:]) {
    let isNew = seen.withLock { seen in
      let isNew = seen.signs.insert(sign).inserted
      if seen.signs.count == Sign.allCases.count { isDone.store(true, ordering: .relaxed) }
      return isNew
    }
    guard isNew else { return }
    logger.warning(
      "\(Self.problem)",
      metadata: metadata.merging(["sign": "\(sign.words)", "cure": "\(Self.cure)"]) { first, _ in first })
  }
}
