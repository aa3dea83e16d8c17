import Logging
import MadangAPI
import MadangCore
import SocketIOProtocol

/// Logs sign-ins and refused calls with the client's address, so that operators see attacks and programs like fail2ban can
/// act. It never has passwords, tokens or e-mail addresses.
struct SecurityLog: Sendable {
  private let logger: Logger
  private let budget: LogBudget
  private let clock: Clock

  /// - Parameter linesPerMinute: The limit; the next line says how many were left out.
  init(_ logger: Logger, linesPerMinute: Int, clock: Clock) {
    self.logger = logger
    self.clock = clock
    budget = LogBudget(limit: linesPerMinute)
  }

  /// An account signed up or in.
  func signedIn(_ session: Int64, by route: Route, at client: ClientAddress) {
    write(.info, "signed in", route, client, ["session": "\(session)"])
  }

  /// A call was refused. Logs only refusals that attacks cause.
  func refused(_ code: ErrorCode, _ route: Route?, at client: ClientAddress) {
    switch code {
    case .noAccount where route?.access == .publicKey: write(.notice, "sign-in refused", route, client)
    case .notOwner: write(.notice, "refused: not the owner", route, client)
    case .tooManyCalls: write(.notice, "refused: too many calls", route, client)
    default: break
    }
  }

  private func write(
    _ level: Logger.Level, _ message: Logger.Message, _ route: Route?, _ client: ClientAddress,
    _ metadata: Logger.Metadata = [:]
  ) {
    guard level >= logger.logLevel, let leftOut = budget.take(at: clock.steady) else { return }
    var metadata = metadata
    metadata["address"] = "\(client.text)"
    metadata["call"] = route.map { "\($0.method.rawValue) \($0.template)" }
    if leftOut > 0 { metadata["left-out"] = "\(leftOut)" }
    logger.log(level: level, message, metadata: metadata)
  }
}
