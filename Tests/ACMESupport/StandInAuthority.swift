import ACME
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization
import X509

/// An authority of ACME for tests, on a free local port without TLS. It checks what real ones check: nonces, addresses, signatures, proofs.
package final class StandInAuthority: Sendable {
  /// How it answers from now on.
  package enum Mood: Sendable {
    case works
    /// Every request fails.
    case down
    /// New orders are refused.
    case refuses(kind: String, detail: String, retryAfter: String?)
    /// Requests to addresses that begin with this are fulfilled, and their answers are lost.
    case losesAnswers(to: String)
  }

  /// Looks for a proof. Nil if it is right, otherwise the kind of problem and its words.
  package typealias Verify = @Sendable (Proof) async -> (kind: String, detail: String)?

  struct StandInOrder: Sendable {
    let names: [String]
    let account: String
    var proven: Set<Int> = []
    /// The name that could not be verified.
    var failed: Int?
    var problem: (kind: String, detail: String)?
    var chain: String?
  }

  struct State: Sendable {
    var mood = Mood.works
    var nonces: Set<String> = []
    /// How many good nonces are refused before one is taken.
    var refusedNonces = 0
    /// By URL.
    var accounts: [String: P256.Signing.PublicKey] = [:]
    var contacts: [[String]] = []
    var bindings: [String] = []
    var orders: [StandInOrder] = []
    /// How many orders are no longer known.
    var forgotten = 0
    var revoked: [(certificate: String, reason: Int)] = []
    var requests = 0
    var made = 0
    /// The next certificate's life.
    var life: (from: Date, to: Date)
    var needsBinding = false
  }

  let state: Mutex<State>
  let root = StandInRoot()
  let verify: Verify
  package let url: String

  private init(url: String, verify: @escaping Verify) {
    (self.url, self.verify) = (url, verify)
    state = Mutex(State(life: (Date(timeIntervalSinceNow: -3600), Date(timeIntervalSinceNow: 90 * 86_400))))
  }

  package var directory: String { "\(url)/directory" }
  package func set(_ mood: Mood) { state.withLock { $0.mood = mood } }
  package func refuseNonces(_ count: Int) { state.withLock { $0.refusedNonces = count } }
  package func needBinding() { state.withLock { $0.needsBinding = true } }
  /// Forgets all accounts.
  package func forgetAccounts() { state.withLock { $0.accounts = [:] } }
  /// Forgets all orders.
  package func forgetOrders() { state.withLock { $0.forgotten = $0.orders.count } }
  /// Makes all orders invalid.
  package func failOrders() {
    state.withLock { state in
      for number in state.orders.indices { state.orders[number].problem = ("serverInternal", "the order failed") }
    }
  }
  /// Certificates are valid from and to these dates from now on.
  package func setLife(from: Date, to: Date) { state.withLock { $0.life = (from, to) } }
  package var orders: Int { state.withLock { $0.orders.count } }
  package var issued: Int { state.withLock { $0.orders.count { $0.chain != nil } } }
  package var accounts: Int { state.withLock { $0.accounts.count } }
  package var requests: Int { state.withLock { $0.requests } }
  package var contacts: [[String]] { state.withLock { $0.contacts } }
  package var bindings: [String] { state.withLock { $0.bindings } }
  package var revocations: Int { state.withLock { $0.revoked.count } }

  /// Serves while `body` runs.
  package static func run(
    verify: @escaping Verify = { _ in nil }, _ body: (StandInAuthority) async throws -> Void
  ) async throws {
    let (ports, running) = AsyncStream.makeStream(of: Int.self)
    let authority = Mutex<StandInAuthority?>(nil)
    let responder = CallbackResponder { (request: Request, _: BasicRequestContext) in
      guard let authority = authority.withLock(\.self) else { return Response(status: .serviceUnavailable) }
      let body = try await request.body.collect(upTo: 1 << 20)
      return await authority.answer(request, Array(buffer: body))
    }
    var logger = Logger(label: "authority")
    logger.logLevel = .critical
    let application = Application(
      responder: responder, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { running.yield($0.localAddress?.port ?? 0) }, logger: logger)
    let server = Task { try await application.run() }
    let result: Result<Void, any Error>
    do {
      var port = ports.makeAsyncIterator()
      let made = StandInAuthority(url: "http://127.0.0.1:\(await port.next() ?? 0)", verify: verify)
      authority.withLock { $0 = made }
      try await body(made)
      result = .success(())
    } catch { result = .failure(error) }
    server.cancel()
    _ = await server.result
    try result.get()
  }
}

/// The key by which the authority signs.
struct StandInRoot: Sendable {
  let key = P256.Signing.PrivateKey()

  func certificate(for request: CertificateSigningRequest, from: Date, to: Date) throws -> Certificate {
    let issuer = try DistinguishedName {
      OrganizationName("Stand-in")
      CommonName("Stand-in")
    }
    let wanted =
      try request.attributes.extensionRequest?.extensions.subjectAlternativeNames ?? SubjectAlternativeNames([])
    return try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: request.publicKey, notValidBefore: from,
      notValidAfter: to, issuer: issuer, subject: DistinguishedName(), signatureAlgorithm: .ecdsaWithSHA256,
      extensions: Certificate.Extensions([Certificate.Extension(wanted, critical: true)]),
      issuerPrivateKey: Certificate.PrivateKey(key))
  }
}
