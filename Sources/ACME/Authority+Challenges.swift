import SocketIOProtocol

extension Authority {
  /// Proves control of all names whose proof the authority does not have yet.
  /// - Parameter authorizations: Their addresses.
  func prove(
    _ authorizations: [String], by kind: Challenge.Kind, _ names: [String],
    _ publish: @Sendable ([Proof]) async throws -> Void
  ) async throws {
    var proofs: [Proof] = []
    var open: [(url: String, challenge: Challenge, name: String)] = []
    for url in authorizations {
      let authorization = try await authorization(url, names)
      if authorization.status == .valid { continue }
      let name = authorization.identifier.value
      guard names.contains(where: { $0.lowercased() == name.lowercased() }) else {
        throw ACMEError.unusable("an authorization for another name: \(LogText(name))", at: url)
      }
      guard authorization.status == .pending else {
        throw ACMEError.unproven(name, kind, authorization.challenge(kind)?.error, caa: caa)
      }
      guard let challenge = authorization.challenge(kind) else {
        let offered = authorization.challenges.prefix(10).map { LogText($0.type).text }.joined(separator: ", ")
        throw ACMEError(
          .refused(kind: "challenge"), "the authority does not offer \(kind.rawValue) for \(name), only \(offered)",
          cure: "choose another kind of challenge, or another authority")
      }
      guard let token = challenge.token, Base64URL.isToken(token) else {
        throw ACMEError.unusable("a challenge without a token", at: url)
      }
      proofs.append(
        Proof(
          name: name.lowercased(), kind: kind, token: token,
          keyAuthorization: try configuration.key.keyAuthorization(token)))
      open.append((url, challenge, name))
    }
    guard !open.isEmpty else { return }
    try await publish(proofs)
    for one in open { try await begin(one.challenge, names: names) }
    for one in open {
      let authorization = try await poll("verify \(one.name)") {
        let answer = try await read(one.url, names: names)
        let authorization = try answer.decode(Authorization.self, from: one.url)
        return (authorization.status == .pending ? nil : authorization, answer.pause)
      }
      guard authorization.status == .valid else {
        throw ACMEError.unproven(one.name, kind, authorization.challenge(kind)?.error, caa: caa)
      }
    }
  }

  private func authorization(_ url: String, _ names: [String]) async throws -> Authorization {
    try await read(url, names: names).decode(Authorization.self, from: url)
  }
}

extension Authorization {
  func challenge(_ kind: Challenge.Kind) -> Challenge? { challenges.first { $0.type == kind.rawValue } }
}
