import Logging
import MadangCore
import MadangOperations
import ServiceLifecycle
import Storage

/// Sends links that are requested on pages, in the background: so the response time does not reveal which addresses have
/// accounts.
struct LinkRequests: ServiceLifecycle.Service {
  private struct Request: Sendable {
    let page: LinkPage
    let email: String
    let address: String
    /// `Accept-Language`.
    let languages: String?
  }

  /// The most waiting requests; further ones are dropped.
  private static let maxWaiting = 1000
  private static let window: Int64 = 3_600_000
  /// How long a request is retried, in milliseconds.
  private static let patience: Int64 = 600_000

  /// Whether links can be sent.
  var isOn: Bool { madang.settings.sendsMail && !madang.settings.publicURL.isEmpty }
  private let madang: Madang
  private let limits: CallLimits
  private let metrics: Metrics
  private let waiting: AsyncStream<Request>
  private let entrance: AsyncStream<Request>.Continuation

  init(_ madang: Madang, _ settings: ServerSettings, metrics: Metrics) {
    self.madang = madang
    var limits = settings.callLimits
    (limits.requests, limits.window) = (settings.passwordResetsPerAddress, Self.window)
    self.limits = CallLimits(limits, clock: madang.clock)
    self.metrics = metrics
    (waiting, entrance) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maxWaiting))
  }

  /// Requests a mail with a link to a page, in a language of the client's. Returns at once. Throws `E98` if the client requests too many.
  func request(
    _ page: LinkPage, _ email: String, _ client: ClientAddress, _ languages: String?
  ) throws(Refusal) {
    try limits.count(.address(client.networkHash))
    // A longer text is not an address and is not stored.
    guard email.utf8.count <= 1000 else { return }
    if case .dropped = entrance.yield(
      Request(page: page, email: email, address: client.text, languages: languages.map { String($0.prefix(100)) }))
    {
      metrics.mailLeftOut(.requests)
    }
  }

  /// Counts the link of a sign-up as one that the client requested. False if that is one too many.
  func mayCause(_ client: ClientAddress) -> Bool {
    do {
      try limits.count(.address(client.networkHash))
      return true
    } catch {
      return false
    }
  }

  func run() async throws {
    for await request in waiting.cancelOnGracefulShutdown() {
      do { try await sendPatiently(request) } catch {
        metrics.mailLeftOut((error as? MailLeftOut).map { .init($0.reason) } ?? .database)
        madang.logger.warning("a link was not sent", metadata: ["error": "\(String(reflecting: error))"])
      }
    }
  }

  /// Whether the failure is temporary. All later requests wait for this one.
  private static func isPassing(_ error: any Error, of request: Request) -> Bool {
    switch error {
    case let error as StorageError:
      [.connectionLost, .outcomeUnknown, .overloaded, .serialization].contains(error.code)
    // Without a password link its owner cannot sign in, so it is retried longer. People can request other links again.
    case let left as MailLeftOut: left.reason == .queue && request.page == .password
    default: false
    }
  }

  /// Retries while the database does not answer or too many mails wait. A link may be sent twice if only the answer was
  /// lost.
  private func sendPatiently(_ request: Request) async throws {
    let end = madang.clock.steady + Self.patience
    var pause: Duration = .seconds(1)
    while true {
      do { return try await send(request) } catch {
        guard Self.isPassing(error, of: request), madang.clock.steady < end, !Task.isShuttingDownGracefully else {
          throw error
        }
      }
      try await cancelWhenGracefulShutdown { [pause] in try await madang.clock.sleep(for: pause) }
      pause = min(pause * 2, .seconds(20))
    }
  }

  private func send(_ request: Request) async throws {
    switch request.page {
    case .password:
      try await madang.sendPasswordReset(
        to: request.email, from: request.address, languages: request.languages)
    case .confirm:
      try await madang.sendConfirmation(
        to: request.email, from: request.address, languages: request.languages)
    case .invite: break
    }
  }
}
