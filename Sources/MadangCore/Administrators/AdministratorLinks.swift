import Crypto
import Storage

extension Madang {
  /// Makes a link for a new administrator: 256 random bits, for one use. If too many are open, the oldest ends.
  package func makeAdministratorLink(byOperator actor: Administrator) async throws -> (
    token: String, link: AdministratorLink
  ) {
    let (token, salt) = (newToken(), newToken())
    let name = actor.name.isEmpty ? "madang admin web" : "madang admin web (\(actor.name))"
    let link = try await database.write(ignoresStop: true) { [self] transaction in
      try insertLink(token, salt: salt, by: name, actor, of: nil, in: transaction)
    }
    return (token, link)
  }

  /// The same by a signed-in administrator. Throws ``AdministratorRefusal``: `.credentials`, `.wait`, `.signedOut`.
  package func makeAdministratorLink(
    by session: AdministratorSession, password: String, at address: String
  ) async throws -> (token: String, link: AdministratorLink) {
    let (token, salt) = (newToken(), newToken())
    let link = try await write(as: session, password: password, at: address) { [self] transaction in
      try insertLink(
        token, salt: salt, by: session.name, session.actor(at: address), of: session.account, in: transaction)
    }
    return (token, link)
  }

  private func insertLink(
    _ token: String, salt: String, by name: String, _ actor: Administrator, of account: Int64?,
    in transaction: Transaction
  ) throws -> AdministratorLink {
    let (now, limits) = (clock.now, settings.administrators)
    let link = try transaction.insertAdministratorLink(
      tokenHash: token.sha256, salt: salt, of: account, by: name, until: now + limits.linkLifetime)
    try transaction.deleteAdministratorLinks(beyond: limits.links)
    try audit(.administratorLinkMade, "link \(link.number)", by: actor, [:], in: transaction)
    return link
  }

  /// The open links, the oldest first.
  package func administratorLinks() async throws -> [AdministratorLink] {
    try await database.read { [now = clock.now] in try $0.administratorLinks(now: now) }
  }

  /// Ends a link. Throws ``AdministratorRefusal``: `.notFound`, `.signedOut`.
  package func withdrawAdministratorLink(
    _ number: Int64, by session: AdministratorSession, at address: String
  ) async throws {
    try await database.write(ignoresStop: true) { [self] transaction in
      _ = try transaction.requireAdministrator(session)
      guard try transaction.deleteAdministratorLink(number) else {
        throw AdministratorRefusal(.notFound, "link \(number) does not exist, was used or has expired")
      }
      try audit(
        .administratorLinkWithdrawn, "link \(number)", by: session.actor(at: address), [:], in: transaction)
    }
  }

  /// What a link is for: the secret for the app of the new administrator, the same each time, in Base32. Uses nothing up. Throws
  /// ``AdministratorRefusal``: `.link`, `.wait`.
  package func openAdministratorLink(token: String, from address: String) async throws -> (
    secret: String, isFirst: Bool
  ) {
    let (secret, isFirst) = try await openLink(token, from: address)
    return (secret.base32, isFirst)
  }

  private func openLink(_ token: String, from address: String) async throws -> (secret: SecondStep, isFirst: Bool) {
    let hash = token.sha256
    let (salt, isFirst) = try await database.read { [now = clock.now] transaction in
      (try transaction.salt(ofLink: hash, now: now), try transaction.administratorCount() == 0)
    }
    guard let salt else {
      try await countFailure(from: address)
      throw AdministratorRefusal.link
    }
    return (Self.secret(of: token, salt: salt), isFirst)
  }

  private static func secret(of token: String, salt: String) -> SecondStep {
    let code = HMAC<SHA256>.authenticationCode(for: Array(salt.utf8), using: SymmetricKey(data: Array(token.utf8)))
    return SecondStep(secret: Array(Array(code).prefix(SecondStep.size)))
  }

  /// Adds the administrator of a link and signs them in. Of several that use one link at once, the first wins. Throws
  /// ``AdministratorRefusal``: `.link`, `.wait`, `.taken`, `.weak`, `.code`, `.refused`.
  package func addAdministrator(
    token: String, name: String, password: String, code: String, from address: String
  ) async throws -> (signIn: AdministratorSignIn, recoveryCodes: [String]) {
    let (secret, name, key, password) = try await allowed(token: token, name: name, password: password, from: address)
    // Checked first, so that a wrong code causes no hashing.
    guard let step = secret.number(of: TypedCode(code).digits, at: clock.now) else { throw AdministratorRefusal.code }
    let turn = Self.network(of: address)
    let hash = try await hash(password: password, turn: turn)
    let codes = try await makeRecoveryCodes(turn: turn)
    let draft = AdministratorDraft(
      name: name, key: key, passwordHash: hash, secondStep: try secret.stored(key: settings.stepKey), step: step,
      codeHashes: codes.hashes, address: address)
    let own = newToken()
    let session = try await database.write(ignoresStop: true) { [self] transaction in
      let (now, most) = (clock.now, settings.administrators.most)
      guard let maker = try transaction.useAdministratorLink(token.sha256, now: now) else {
        throw AdministratorRefusal.link
      }
      guard try transaction.administratorCount() < most else {
        throw AdministratorRefusal(.refused, "there are \(most) administrators; remove one first")
      }
      try transaction.lockAdministrators()
      guard try !transaction.hasAdministrator(lookingLike: name) else { throw Self.taken(name) }
      guard let number = try transaction.insertAdministrator(draft, now: now) else { throw Self.taken(name) }
      let session = try beginSession(of: number, name, token: own, from: address, in: transaction)
      try audit(.administratorAdded, name, by: session.actor(at: address), ["by": maker], in: transaction)
      return session
    }
    return (AdministratorSignIn(session: session, token: own), codes.shown)
  }

  /// Whether the link's person may take this name and password, before the authenticator app gets the secret. Throws
  /// ``AdministratorRefusal``: `.link`, `.wait`, `.taken`, `.weak`, `.refused`.
  package func checkAdministrator(token: String, name: String, password: String, from address: String) async throws {
    _ = try await allowed(token: token, name: name, password: password, from: address)
  }

  private func allowed(
    token: String, name: String, password: String, from address: String
  ) async throws -> (secret: SecondStep, name: String, key: String, password: String) {
    let secret = try await openLink(token, from: address).secret
    let (name, password) = (try Self.newAdministratorName(name), try Self.newAdministratorPassword(password))
    guard let key = TextRules.administratorKey(name) else {
      throw AdministratorRefusal(.refused, "name: is not allowed")
    }
    let isTaken = try await database.read { transaction in
      if try transaction.administrator(key: key) != nil { return true }
      return try transaction.hasAdministrator(lookingLike: name)
    }
    guard !isTaken else { throw Self.taken(name) }
    return (secret, name, key, password)
  }

  private static func taken(_ name: String) -> AdministratorRefusal {
    AdministratorRefusal(
      .taken, "an administrator is called \(name), or by a name that looks like it; choose another name")
  }

  private static func newAdministratorName(_ name: String) throws -> String {
    do { return try TextRules.newAdministratorName(name) } catch let failure as Failure {
      throw AdministratorRefusal(.refused, failure.message)
    }
  }

  static func newAdministratorPassword(_ password: String) throws -> String {
    let good: String
    do { good = try TextRules.newPassword(password) } catch let failure as Failure {
      throw AdministratorRefusal(.weak, failure.message)
    }
    guard !CommonPasswords.contains(good) else {
      throw AdministratorRefusal(.refused, "password: is a common one, which attackers try first; choose another one")
    }
    return good
  }
}

extension Transaction {
  fileprivate func hasAdministrator(lookingLike name: String) throws -> Bool {
    let looks = TextRules.looks(name)
    return try administrators().contains { TextRules.looks($0.name) == looks }
  }
}
