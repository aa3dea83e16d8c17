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
    write(.info, "signed in", Self.name(of: route), client, ["session": "\(session)"])
  }

  /// A call was refused. Logs only refusals that attacks cause.
  func refused(_ code: ErrorCode, _ route: Route?, at client: ClientAddress) {
    let call = route.map(Self.name)
    switch code {
    case .noAccount where route?.access == .publicKey: write(.notice, "sign-in refused", call, client)
    case .notOwner: write(.notice, "refused: not the owner", call, client)
    case .tooManyCalls: write(.notice, "refused: too many calls", call, client)
    default: break
    }
  }

  /// A sign-in at the administrator's console was refused.
  func refusedAdministrator(at client: ClientAddress) {
    write(.notice, "sign-in refused", "POST /admin/api/session", client)
  }

  private static func name(of route: Route) -> String { "\(route.method.rawValue) \(route.template)" }

  private func write(
    _ level: Logger.Level, _ message: Logger.Message, _ call: String?, _ client: ClientAddress,
    _ metadata: Logger.Metadata = [:]
  ) {
    guard level >= logger.logLevel, let leftOut = budget.take(at: clock.steady) else { return }
    var metadata = metadata
    metadata["address"] = "\(client.text)"
    metadata["call"] = call.map { "\($0)" }
    if leftOut > 0 { metadata["left-out"] = "\(leftOut)" }
    logger.log(level: level, message, metadata: metadata)
  }
}
