/// A certificate with its chain, and its private key.
package struct IssuedCertificate: Sendable {
  package let chain: CertificateChain
  package let key: CertificateKey
}

/// An order whose names are proven, and the key that its certificate is for.
package struct BegunOrder: Sendable {
  package let url: String
  package let key: CertificateKey

  package init(url: String, key: CertificateKey) { (self.url, self.key) = (url, key) }
}

extension Authority {
  /// Orders a certificate: proves the names, sends a request with a new key, and fetches the chain (RFC 8555, section 7.4).
  ///
  /// - Parameters:
  ///   - kind: How the names are proven.
  ///   - begun: An order of an earlier call for these names. If it can still give a certificate, no other one is made.
  ///   - keep: Stores a new order before the authority may issue its certificate; nil: the last one is over. After an error, the next call
  ///     should get the stored one.
  ///   - publish: Makes the proofs visible to the authority before it returns. They may be withdrawn when this function returns.
  /// - Throws: ``ACMEError``; errors of `publish`.
  package func order(
    _ names: [String], provingBy kind: Challenge.Kind, goingOnWith begun: BegunOrder? = nil,
    keep: @Sendable (BegunOrder?) async throws -> Void = { _ in },
    _ publish: @Sendable ([Proof]) async throws -> Void
  ) async throws -> IssuedCertificate {
    if let begun {
      if let order = try await order(begun, names) { return try await finish(begun, order, names, keep) }
      try await keep(nil)
    }
    let (url, order) = try await readyOrder(names, by: kind, publish)
    let new = BegunOrder(url: url, key: CertificateKey())
    try await keep(new)
    return try await finish(new, order, names, keep)
  }

  /// Makes an order and proves its names.
  private func readyOrder(
    _ names: [String], by kind: Challenge.Kind, _ publish: @Sendable ([Proof]) async throws -> Void
  ) async throws -> (url: String, order: Order) {
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
    return (url, order)
  }

  /// An order of an earlier call; nil if it is over.
  private func order(_ begun: BegunOrder, _ names: [String]) async throws -> Order? {
    do {
      let order = try await read(begun.url, names: names).decode(Order.self, from: begun.url)
      return [.ready, .processing, .valid].contains(order.status) ? order : nil
    } catch let error as ACMEError where error.endsOrder { return nil }
  }

  /// Fetches the certificate; an order that cannot give one is not kept.
  private func finish(
    _ begun: BegunOrder, _ order: Order, _ names: [String], _ keep: @Sendable (BegunOrder?) async throws -> Void
  ) async throws -> IssuedCertificate {
    do { return try await certificate(begun, order, names) } catch let error as ACMEError where error.endsOrder {
      try await keep(nil)
      throw error
    }
  }

  /// Sends the request for the certificate, if the order waits for it, and fetches the chain.
  private func certificate(
    _ begun: BegunOrder, _ order: Order, _ names: [String]
  ) async throws -> IssuedCertificate {
    struct Finalize: Encodable { let csr: String }
    if order.status == .ready {
      let request = Base64URL.text(try begun.key.signingRequest(for: names))
      _ = try await post(order.finalize, Finalize(csr: request), names: names)
    }
    let order = try await settled(begun.url, names, while: .ready, .processing)
    guard order.status == .valid, let certificate = order.certificate else { throw refusal(of: order, names) }
    let answer: AuthorityCalls.Answer
    do { answer = try await read(certificate, names: names) } catch let error as ACMEError {
      // It is issued: another server of the authority may not have it yet.
      throw error.keepingOrder
    }
    let text = String(decoding: answer.body, as: UTF8.self)
    guard let chain = try? CertificateChain(pem: text), chain.fits(begun.key, names) else {
      throw ACMEError.unusable("no certificate for \(names.joined(separator: ", "))", at: certificate, endsOrder: true)
    }
    return IssuedCertificate(chain: chain, key: begun.key)
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
      pause: nil, endsOrder: true)
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
