import MadangAPI
import MadangCore
import MadangOperations

// What the editions share of accounts: they differ in paths and objects only.

extension Call {
  func signUp() async throws -> SignedIn { try await signUp(from: origin) { _, _ in } }

  /// - Parameter accept: Takes an invitation that the body may have, and notes its code in the origin.
  package func signUp(
    from origin: Origin, accepting accept: (Fields, inout Origin) async throws -> Void
  ) async throws -> SignedIn {
    var origin = origin
    let fields = try await body.fields()
    // Only now: slow bodies hold no places.
    try service.limits.calls.takeSignUp(from: client.networkHash)
    do {
      try await accept(fields, &origin)
      return try await makeAccount(fields, origin)
    } catch {
      service.limits.calls.giveBackSignUp(from: client.networkHash)
      throw error
    }
  }

  private func makeAccount(_ fields: Fields, _ origin: Origin) async throws -> SignedIn {
    let draft = SignUp(
      email: try fields.required(.email), password: try fields.required(.password),
      nickname: try fields.required(.nickname), phone: try fields.text(.phone), deviceToken: try fields.deviceToken())
    return noteAddress(
      of: try await service.reports.refusals.noting((try? Madang.emailKey(draft.email)) ?? "", origin) {
        try await madang.signUp(draft, from: origin, turn: client.network) { [links = service.links, client] in
          links.mayCause(client)
        }
      })
  }

  func validateEmail() async throws {
    try await madang.checkEmail(try await body.fields().required(.email), from: origin)
  }

  /// From now on the account is known by its address (wire contract, Socket access).
  private func noteAddress(of signedIn: SignedIn) -> SignedIn {
    service.callers.recent.saw(signedIn.account.person.id.number, at: client, always: true)
    return signedIn
  }

  package func signIn() async throws -> SignedIn {
    let fields = try await body.fields()
    let (email, password) = (try fields.required(.email), try fields.required(.password))
    let deviceToken = try fields.deviceToken()
    return noteAddress(
      of: try await service.tryPassword(of: try Madang.emailKey(email), origin, from: client) {
        try await madang.signIn(
          email: email, password: password, deviceToken: deviceToken, from: origin, turn: client.network)
      })
  }

  func signInWithApple() async throws -> SignedIn {
    let fields = try await body.fields()
    return try await signIn(
      with: .apple, token: try fields.required(.idToken), nickname: try fields.text(.nickname), fields)
  }

  func signInWithKakao() async throws -> SignedIn {
    let fields = try await body.fields()
    return try await signIn(with: .kakao, token: try fields.required(.oauthToken), nickname: nil, fields)
  }

  private func signIn(with provider: SocialProvider, token: String, nickname: String?, _ fields: Fields) async throws
    -> SignedIn
  {
    let deviceToken = try fields.deviceToken()
    // Known only later: whether an account is made. Who has one signs in, however many others were made at the address.
    let refusal = signUpRefusal()
    func giveBack() { if refusal == nil { service.limits.calls.giveBackSignUp(from: client.networkHash) } }
    do {
      let signedIn = try await service.reports.refusals.noting("", origin) {
        try await madang.signIn(
          with: provider, token: token, verifier: service.providers.social(provider), nickname: nickname,
          deviceToken: deviceToken, from: origin
        ) { if let refusal { throw refusal } }
      }
      if !signedIn.isNew { giveBack() }
      return noteAddress(of: signedIn)
    } catch {
      giveBack()
      throw error
    }
  }

  /// Takes the place of an account that may be made. Nil unless there is none left.
  private func signUpRefusal() -> Refusal? {
    do throws(Refusal) {
      try service.limits.calls.takeSignUp(from: client.networkHash)
      return nil
    } catch {
      return error
    }
  }

  func accessToken(for signedIn: SignedIn) async throws -> String {
    outcome.begin(signedIn)
    service.limits.calls.note(signedIn.session.number, of: signedIn.account.person.id.number)
    return try await service.callers.issueToken(session: signedIn.session, edition: edition)
  }

  package func signOut() async throws {
    try await madang.signOut(try principal, from: origin)
    outcome.session = .ended
  }

  func setDeviceToken() async throws {
    guard let token = try await body.fields().deviceToken() else { throw Failure(.invalid, "deviceToken: is missing") }
    try await madang.setDeviceToken(token, of: try principal)
  }

  func editAccount() async throws -> Account {
    let fields = try await body.fields()
    return try await madang.editAccount(
      of: try principal, nickname: try fields.text(.nickname), phone: try fields.text(.phone))
  }

  func changePicture() async throws -> Account {
    guard let image = try await body.fields().image else { throw Failure(.invalid, "image: is missing or empty") }
    return try await madang.changePicture(of: try principal, to: image)
  }
}

extension Service {
  /// Runs `body`, which compares a password with an account's, unless the account and the address have failed too often. The audit log
  /// records failures.
  func tryPassword<Success: Sendable>(
    of emailKey: String, _ origin: Origin, from client: ClientAddress, _ body: () async throws -> Success
  ) async throws -> Success {
    try await reports.refusals.noting(emailKey, origin) {
      try await callers.tries.run(account: emailKey, address: client.network) {
        try await madang.isKnown(emailKey, at: client.text, within: settings.sockets.recentWindow)
      } _: {
        try await body()
      }
    }
  }
}
