/// A certificate with its chain, and its private key.
package struct IssuedCertificate: Sendable {
  package let chain: CertificateChain
  package let key: CertificateKey
}

extension Authority {
  /// Orders a certificate: proves the names, sends a request with a new key, and fetches the chain (RFC 8555, section 7.4).
  ///
  /// - Parameters:
  ///   - kind: How the names are proven.
  ///   - publish: Makes the proofs visible to the authority before it returns. They may be withdrawn when this function returns.
  /// - Throws: ``ACMEError``; errors of `publish`.
  package func order(
    _ names: [String], provingBy kind: Challenge.Kind, _ publish: @Sendable ([Proof]) async throws -> Void
  ) async throws -> IssuedCertificate {
    struct NewOrder: Encodable { let identifiers: [Identifier] }
    let place = try await directory().newOrder
    let made = try await post(place, NewOrder(identifiers: names.map(Identifier.init(name:))), names: names)
    guard let url = made.header("Location") else {
      throw ACMEError.unusable("no address of the order", at: place)
    }
    var order = try made.decode(Order.self, from: place)
    guard order.authorizations.count <= names.count else {
      throw ACMEError.unusable("more authorizations than names", at: url)
    }
    if order.status == .pending { try await prove(order.authorizations, by: kind, names, publish) }
    order = try await settled(url, names, while: .pending)
    guard order.status == .ready else { throw refusal(of: order, names) }

    struct Finalize: Encodable { let csr: String }
    let key = CertificateKey()
    let request = Base64URL.text(try key.signingRequest(for: names))
    _ = try await post(order.finalize, Finalize(csr: request), names: names)
    order = try await settled(url, names, while: .ready, .processing)
    guard order.status == .valid, let certificate = order.certificate else { throw refusal(of: order, names) }
    let text = String(decoding: try await read(certificate, names: names).body, as: UTF8.self)
    guard let chain = try? CertificateChain(pem: text), chain.fits(key, names) else {
      throw ACMEError.unusable("no certificate for \(names.joined(separator: ", "))", at: certificate)
    }
    return IssuedCertificate(chain: chain, key: key)
  }

  /// Why a certificate is revoked (RFC 5280, section 5.3.1).
  package enum RevocationReason: Int, Sendable {
    case unspecified = 0
    case keyCompromise = 1
    case superseded = 4
  }

  /// Declares a certificate of this account invalid from now on (RFC 8555, section 7.6). Throws ``ACMEError``.
  package func revoke(_ chain: CertificateChain, because reason: RevocationReason) async throws {
    struct Revocation: Encodable {
      let certificate: String
      let reason: Int
    }
    guard let url = try await directory().revokeCert else {
      throw ACMEError.unusable("no address for revocations", at: configuration.directory)
    }
    do {
      _ = try await post(
        url, Revocation(certificate: Base64URL.text(try chain.certificateBytes), reason: reason.rawValue),
        names: chain.names)
    } catch let error as ACMEError {
      guard case .refused(kind: "alreadyRevoked") = error.reason else { throw error }
    }
  }

  /// The order, as soon as it has another status than these.
  private func settled(_ url: String, _ names: [String], while statuses: Order.Status...) async throws -> Order {
    try await poll("finish the order") {
      let answer = try await read(url, names: names)
      let order = try answer.decode(Order.self, from: url)
      return (statuses.contains(order.status) ? nil : order, answer.pause)
    }
  }

  private func refusal(of order: Order, _ names: [String]) -> ACMEError {
    ACMEError.refused(
      order.error ?? Problem(detail: "the order is \(order.status.rawValue)"), status: 200, names: names, caa: caa,
      pause: nil)
  }

  /// Repeats a question until it has an answer.
  /// - Parameter what: What the authority has to do, for the error.
  func poll<Value>(
    _ what: String, _ question: () async throws -> (value: Value?, pause: Duration?)
  ) async throws -> Value {
    let end = ContinuousClock.now + configuration.patience
    var pause: Duration = .milliseconds(250)
    while true {
      let (value, wanted) = try await question()
      if let value { return value }
      let wait = max(pause, wanted ?? .zero)
      guard ContinuousClock.now + wait < end else { throw ACMEError.slow(what) }
      try await Task.sleep(for: wait)
      pause = min(pause * 2, .seconds(5))
    }
  }
}
