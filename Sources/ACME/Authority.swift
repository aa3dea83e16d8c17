import NIOSSL
import SocketIOProtocol

/// An account at an authority for certificates (RFC 8555). Requests are made one after the other.
package actor Authority {
  package struct Configuration: Sendable {
    /// The URL of the authority's directory.
    package var directory: String
    package var key: AccountKey
    /// The account's URL, if it is known; ``Authority/account`` returns it.
    package var account: String?
    /// An e-mail address; empty for none.
    package var contact = ""
    package var externalAccount: ExternalAccount?
    /// Root certificates to trust in addition to the system's.
    package var roots: [NIOSSLCertificate] = []
    /// How long each request may take.
    package var timeout: Duration = .seconds(20)
    /// How long the authority may take for all names, and then for the certificate.
    package var patience: Duration = .seconds(90)

    package init(directory: String, key: AccountKey) { (self.directory, self.key) = (directory, key) }
  }

  let configuration: Configuration
  private let calls: AuthorityCalls
  private var nonces = Nonces()
  private var known: Directory?
  /// The account's URL; nil before the first request.
  package private(set) var account: String?

  /// How often a request is sent if its nonce is refused. Some authorities refuse good ones, as a test.
  private static let nonceTries = 6

  package init(_ configuration: Configuration) {
    self.configuration = configuration
    account = configuration.account
    calls = AuthorityCalls(
      directory: configuration.directory, roots: configuration.roots, timeout: configuration.timeout)
  }

  /// The terms that a customer of this authority accepts; nil if it has none. Throws ``ACMEError``.
  package func terms() async throws -> String? { try await directory().meta?.termsOfService }

  func directory() async throws -> Directory {
    if let known { return known }
    let url = configuration.directory
    let answer = try await calls.get(url)
    guard answer.status == 200 else { throw refusal(answer, from: url, []) }
    let directory = try answer.decode(Directory.self, from: url)
    known = directory
    return directory
  }

  // MARK: Requests

  private struct Nothing: Encodable {}

  /// Reads a resource of the account.
  func read(_ url: String, names: [String] = []) async throws -> AuthorityCalls.Answer {
    try await asAccount(url, [], names)
  }

  /// Sends a request of the account.
  func post(_ url: String, _ request: some Encodable, names: [String] = []) async throws -> AuthorityCalls.Answer {
    try await asAccount(url, try JSONText.bytes(request), names)
  }

  /// Tells the authority that a challenge can be verified.
  func begin(_ challenge: Challenge, names: [String]) async throws {
    _ = try await post(challenge.url, Nothing(), names: names)
  }

  private func asAccount(_ url: String, _ payload: [UInt8], _ names: [String]) async throws -> AuthorityCalls.Answer {
    let account = try await registered()
    do { return try await send(payload, to: url, by: .account(account), names) } catch let error as ACMEError {
      // The authority has lost its accounts, or the account was made elsewhere.
      guard case .refused(kind: "accountDoesNotExist") = error.reason else { throw error }
      self.account = nil
      return try await send(payload, to: url, by: .account(try await registered()), names)
    }
  }

  private struct NewAccount: Encodable {
    let contact: [String]?
    let termsOfServiceAgreed = true
    let externalAccountBinding: ExternalAccount.Binding?
  }

  /// Makes an account, or finds the account of the key (RFC 8555, section 7.3).
  /// - Returns: Its URL.
  @discardableResult
  package func registered() async throws -> String {
    if let account { return account }
    let directory = try await directory()
    if directory.meta?.externalAccountRequired == true, configuration.externalAccount == nil {
      throw refused(Problem(type: "urn:ietf:params:acme:error:externalAccountRequired"), 0, [], nil)
    }
    let request = NewAccount(
      contact: configuration.contact.isEmpty ? nil : ["mailto:\(configuration.contact)"],
      externalAccountBinding: try configuration.externalAccount?.binding(
        of: configuration.key.publicKey, at: directory.newAccount))
    let answer = try await send(try JSONText.bytes(request), to: directory.newAccount, by: .key, [])
    guard let url = answer.header("Location"), url.utf8.count < 2048 else {
      throw ACMEError.unusable("no address of the account", at: directory.newAccount)
    }
    account = url
    return url
  }

  /// Throws ``ACMEError`` for every answer but success.
  private func send(
    _ payload: [UInt8], to url: String, by signer: SignedMessage.Signer, _ names: [String]
  ) async throws -> AuthorityCalls.Answer {
    var tries = 0
    while true {
      let answer = try await sendOnce(payload, to: url, by: signer)
      if (200...299).contains(answer.status) { return answer }
      tries += 1
      guard tries < Self.nonceTries, (try? answer.decode(Problem.self, from: url))?.kind == "badNonce" else {
        throw refusal(answer, from: url, names, endsOrder: endsOrder(answer, url))
      }
    }
  }

  /// Whether a refused request about an order would be refused at any time. Without a reason it may be a proxy that refuses.
  private func endsOrder(_ answer: AuthorityCalls.Answer, _ url: String) -> Bool {
    guard let kind = (try? answer.decode(Problem.self, from: url))?.kind, !kind.isEmpty else {
      return [404, 410].contains(answer.status)
    }
    return (400...499).contains(answer.status) && ![408, 429].contains(answer.status)
      && !["badNonce", "orderNotReady", "rateLimited", "userActionRequired"].contains(kind)
  }

  private func sendOnce(
    _ payload: [UInt8], to url: String, by signer: SignedMessage.Signer
  ) async throws -> AuthorityCalls.Answer {
    let nonce = try await nonce()
    let answer = try await calls.post(
      url, try SignedMessage(payload, to: url, by: signer, configuration.key, nonce: nonce))
    if answer.status >= 400 { nonces.forget() }
    nonces.add(answer.header("Replay-Nonce"))
    return answer
  }

  private func nonce() async throws -> String {
    if let nonce = nonces.take() { return nonce }
    let url = try await directory().newNonce
    let answer = try await calls.head(url)
    nonces.add(answer.header("Replay-Nonce"))
    guard let nonce = nonces.take() else { throw refusal(answer, from: url, []) }
    return nonce
  }

  // MARK: Refusals

  private func refusal(
    _ answer: AuthorityCalls.Answer, from url: String, _ names: [String], endsOrder: Bool = false
  ) -> ACMEError {
    guard let problem = try? answer.decode(Problem.self, from: url), problem.type != nil || problem.detail != nil else {
      return ACMEError(
        .unusable, "the authority answers \(answer.status) without a reason at \(LogText(url))",
        cure: answer.status >= 500
          ? "wait for the next try: the fault is the authority's"
          : "check that the address is that of an ACME directory", pause: answer.pause,
        endsOrder: endsOrder)
    }
    return refused(problem, answer.status, names, answer.pause, endsOrder: endsOrder)
  }

  private func refused(
    _ problem: Problem, _ status: Int, _ names: [String], _ pause: Duration?, endsOrder: Bool = false
  ) -> ACMEError {
    .refused(problem, status: status, names: names, caa: caa, pause: pause, endsOrder: endsOrder)
  }

  /// The names by which CAA records allow the authority.
  var caa: [String] { known?.meta?.caaIdentities ?? [] }
}
