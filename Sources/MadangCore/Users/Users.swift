import Storage

package struct SignUp: Sendable {
  package var email: String
  package var password: String
  package var nickname: String
  package var phone: String?
  package var deviceToken: String?

  package init(email: String, password: String, nickname: String, phone: String?, deviceToken: String?) {
    self.email = email
    self.password = password
    self.nickname = nickname
    self.phone = phone
    self.deviceToken = deviceToken
  }
}

extension Madang {
  /// Checks whether an account can be made with this address. Throws `.invalid`, `.duplicate` or `.notAdmitted`, in this order.
  package func checkEmail(_ email: String, from origin: Origin) async throws {
    let email = try TextRules.email(email)
    try await database.read { [self] transaction in
      try requireFree(email, in: transaction)
      try requireAdmission(of: email, from: origin, in: transaction)
    }
  }

  func requireFree(_ email: String, in transaction: Transaction) throws {
    guard try !transaction.emailExists(TextRules.emailKey(email)) else {
      throw Failure(.duplicate, "email: an account has it")
    }
  }

  /// Makes an account with its welcome coins and its first session. Throws `.invalid`, `.duplicate` or `.notAdmitted`, in this order.
  ///
  /// - Parameters:
  ///   - turn: Names the caller. Callers take turns at the hashing threads.
  ///   - mayCauseMail: Called once if a confirmation link would be mailed. Returns whether the caller may cause it.
  package func signUp(
    _ draft: SignUp, from origin: Origin, turn: String, mayCauseMail: @Sendable () -> Bool = { true }
  ) async throws -> SignedIn {
    let email = try TextRules.email(draft.email)
    let nickname = try TextRules.nickname(draft.nickname)
    let phone = try TextRules.phone(draft.phone ?? "")
    let password = try TextRules.newPassword(draft.password)
    let deviceToken = try TextRules.deviceToken(draft.deviceToken)
    // A refused sign-up must not cost a hash. The decision itself is made in the transaction below.
    try await checkEmail(email, from: origin)
    let hash = try await hash(password: password, turn: turn)
    let sendsLink = settings.registration.confirmation != .off && mayCauseMail()
    let refresh = RefreshToken(ids)
    return try await database.write { [self] transaction in
      let now = clock.now
      // Checked before any change, so that a refusal costs other writes of the same COMMIT nothing.
      try requireFree(email, in: transaction)
      let invitations = try admit(email, from: origin, in: transaction)
      guard
        let account = try transaction.insertUser(
          uuid: ids.uuid(), email: email, credential: .password(hash: hash), nickname: nickname, phone: phone, now: now)
      else { throw Failure(.duplicate, "email: an account has it") }
      try transaction.addCoins(settings.coins.signUp, to: account.person.id.number, for: "sign-up", now: now)
      let session = try startSession(
        of: account.person.id.number, from: origin, refresh, deviceToken: deviceToken, in: transaction)
      let waitsFor = try admitted(
        account.person, isVouchedFor: false, sendsLink: sendsLink, from: origin, in: transaction)
      _ = try notePlace(of: account.person, from: origin, by: Self.passwordMethod, in: transaction)
      try audit(
        .signUp, account.person, session, origin, by: Self.passwordMethod, invitation: invitations.first?.id,
        waitsFor: waitsFor,
        in: transaction)
      try join(account.person, by: invitations, isVouchedFor: false, from: origin, in: transaction)
      return SignedIn(account: account, session: session, refreshToken: refresh.token, isNew: true)
    }
  }

  /// The caller's own account.
  package nonisolated(nonsending) func account(of principal: Principal) async throws -> Account {
    try await read(as: principal) { try $0.account($1.id) }
  }

  /// Changes the given fields; nil leaves a field unchanged, and an empty phone number clears it. Throws `.invalid`.
  package func editAccount(of principal: Principal, nickname: String?, phone: String?) async throws -> Account {
    let nickname = try nickname.map(TextRules.nickname)
    let phone = try phone.map(TextRules.phone)
    return try await write(as: principal) { transaction, caller in
      try transaction.updateUser(caller.id, nickname: nickname, phone: phone)
      return try transaction.account(caller.id)
    }
  }

  /// Replaces the caller's picture. Throws `.invalid` if the file is no image.
  package func changePicture(of principal: Principal, to file: StagedFile) async throws -> Account {
    try await keepingPictures([file], in: .profiles, as: principal) { [self] transaction, caller, stored in
      let old = try transaction.account(caller.id).person.picture
      try insertPicture(stored[0], of: caller.id, in: transaction)
      try transaction.retire(old, due: clock.now + settings.files.replacedPictureLifetime)
      try transaction.updateUser(caller.id, picture: stored[0].path)
      return try transaction.account(caller.id)
    }
  }

  /// An account that the caller may see: their own, or one that shares a workspace or a direct message room with them. Throws `.noSuchUser`
  /// for any other.
  package func profile(_ reference: Reference, seenBy principal: Principal) async throws -> Profile {
    try await read(as: principal) { transaction, caller in
      guard let profile = try transaction.visibleProfile(reference, to: caller.id) else {
        throw Failure(.noSuchUser, "no account with this id is visible to the caller")
      }
      return profile
    }
  }
}
