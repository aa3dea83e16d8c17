import Logging
import MadangCore
import ServiceLifecycle

/// Sends links for other passwords, beside the requests for them: how long an answer takes tells nobody who has an account.
struct PasswordResetRequests: ServiceLifecycle.Service {
  private struct Request: Sendable {
    let email: String
    let address: String
  }

  /// Requests that may wait. What is beyond it is left out.
  private static let maxWaiting = 1000
  private static let window: Int64 = 3_600_000

  /// Whether there are such links.
  let isOn: Bool
  private let madang: Madang
  private let link: @Sendable (LinkCode) -> String
  private let limits: CallLimits
  private let metrics: Metrics
  private let waiting: AsyncStream<Request>
  private let entrance: AsyncStream<Request>.Continuation

  init(_ madang: Madang, _ settings: ServerSettings, metrics: Metrics) {
    isOn = madang.settings.sendsMail && !settings.publicURL.isEmpty
    self.madang = madang
    link = PasswordPage.link(settings.publicURL)
    var limits = settings.callLimits
    (limits.requests, limits.window) = (settings.passwordResetsPerAddress, Self.window)
    self.limits = CallLimits(limits, clock: madang.clock)
    self.metrics = metrics
    (waiting, entrance) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maxWaiting))
  }

  /// Somebody wants a link sent to an address. Returns at once. Throws `E98` if they want too many.
  func request(_ email: String, _ client: ClientAddress) throws(Refusal) {
    try limits.count(.address(KeyHash(client.network)))
    // What is longer is no address: nothing of it is kept.
    guard email.utf8.count <= 1000 else { return }
    if case .dropped = entrance.yield(Request(email: email, address: client.text)) { metrics.mail(.leftOut) }
  }

  func run() async throws {
    for await request in waiting.cancelOnGracefulShutdown() {
      do { try await madang.sendPasswordReset(to: request.email, from: request.address, link: link) } catch {
        metrics.mail(.leftOut)
        madang.logger.warning("a link was not sent", metadata: ["error": "\(String(reflecting: error))"])
      }
    }
  }
}
