import Logging
import Storage

/// A person as a provider describes them.
package struct SocialProfile: Equatable, Sendable {
  /// The provider's id of the person.
  package let subject: String
  /// Nil if the person did not share an address.
  package let email: String?
  /// Whether the provider has verified the address. Unverified addresses make no account, because they may belong to another person.
  package let isEmailVerified: Bool
  package let nickname: String?
  /// When the token was issued, or was last known to be valid, in milliseconds since 1970; nil if it is valid regardless of time.
  package let issuedAt: Int64?

  package init(
    subject: String, email: String?, isEmailVerified: Bool = true, nickname: String?, issuedAt: Int64? = nil
  ) {
    (self.subject, self.email, self.isEmailVerified) = (subject, email, isEmailVerified)
    (self.nickname, self.issuedAt) = (nickname, issuedAt)
  }
}

/// Largest provider token in bytes. Real tokens have 1 to 2 kB, and reading one takes up to 100 bytes of memory per byte.
package let maxProviderTokenSize = 16_384

/// Checks the tokens of a provider.
package protocol SocialVerifier: Sendable {
  /// The person of a token; nil if the token is invalid. Throws if the provider cannot be asked.
  func profile(of token: String) async throws -> SocialProfile?
}

/// How an account was admitted.
private struct Admission {
  /// The invitations that were used up.
  let invitations: [Invitation]
  let waitsFor: [Waiting]
}

extension Madang {
  /// Signs in with a provider's token; the first sign-in makes the account, with welcome coins.
  ///
  /// Throws, in this order: `.invalid` for an empty token; `.signInFailed` if the token cannot be verified, or was issued before the person
  /// revoked the app's access or the account was deleted; `.invalid` if there is no e-mail address, if a first sign-in has no verified one,
  /// or if the nickname for Apple is too long; `.duplicate` if the address belongs to another account (wire contract, Sign-in methods);
  /// `.notAdmitted` if sign-up is not allowed. Another account that has the address without confirming it is deleted instead, if other
  /// accounts do not depend on it.
  /// - Parameters:
  ///   - nickname: Used when an Apple account is made. If it is blank, the part of the e-mail address before the `@` becomes the nickname.
  ///   - mayMakeAccount: Called before an account is made. Throws if it may not be made.
  package func signIn(
    with provider: SocialProvider, token: String, verifier: (any SocialVerifier)?, nickname: String?,
    deviceToken: String?, from origin: Origin, mayMakeAccount: @escaping @Sendable () throws -> Void = {}
  ) async throws -> SignedIn {
    guard !token.isEmpty else { throw Failure(.invalid, "the token is empty") }
    let deviceToken = try TextRules.deviceToken(deviceToken)
    let profile = try await profile(of: token, provider, verifier)
    guard let email = try? profile.email.map(TextRules.email) else {
      throw Failure(.invalid, "the profile has no e-mail address")
    }
    let refresh = RefreshToken(ids)
    // Read-only mode allows sign-ins, but no new accounts.
    return try await database.write(ignoresStop: true) { [self] transaction in
      let now = clock.now
      // Locked: revoking the app's access ends all sessions, and no session may start with an older token afterwards.
      let known = try transaction.lockedAccount(of: provider, subject: profile.subject)
      let revoked =
        if let known {
          try transaction.signInRevoked(known.person.id.number, now: now)
        } else {
          // Older tokens of a person whose account was deleted make no new account.
          try transaction.deletedSignIn(of: provider, subject: profile.subject, now: now)
        }
      if let issued = profile.issuedAt, let revoked, issued <= revoked {
        throw Failure(
          .signInFailed,
          "the token is older than the person's withdrawal of the app's access, or than the account's deletion")
      }
      let (account, admission) =
        if let known {
          (known, nil as Admission?)
        } else {
          try makeAccount(
            provider, profile, email: email, nickname: nickname, from: origin, in: transaction, now: now, mayMakeAccount
          )
        }
      let session = try startSession(
        of: account.person.id.number, from: origin, refresh, deviceToken: deviceToken, in: transaction)
      let isNewPlace = try notePlace(of: account.person, from: origin, by: provider.rawValue, in: transaction)
      try audit(
        known == nil ? .signUp : .signIn, account.person, session, origin, by: provider.rawValue,
        invitation: admission?.invitations.first?.id, waitsFor: admission?.waitsFor ?? [], isNewPlace: isNewPlace,
        in: transaction)
      try join(
        account.person, by: admission?.invitations ?? [], isVouchedFor: true, from: origin, in: transaction)
      return SignedIn(account: account, session: session, refreshToken: refresh.token, isNew: admission != nil)
    }
  }

  private func profile(of token: String, _ provider: SocialProvider, _ verifier: (any SocialVerifier)?) async throws
    -> SocialProfile
  {
    guard let verifier else { throw Failure(.signInFailed, "signing in with \(provider.rawValue) is not configured") }
    guard token.utf8.count <= maxProviderTokenSize else {
      throw Failure(.signInFailed, "the token has more than \(maxProviderTokenSize) bytes")
    }
    let profile: SocialProfile?
    do { profile = try await verifier.profile(of: token) } catch {
      logger.error(
        "a sign-in provider cannot be reached",
        metadata: ["provider": "\(provider.rawValue)", "error": "\(String(reflecting: error))"])
      throw Failure(.signInFailed, "\(provider.rawValue) cannot be reached")
    }
    guard let profile else { throw Failure(.signInFailed, "\(provider.rawValue) refuses the token") }
    return profile
  }

  private func makeAccount(
    _ provider: SocialProvider, _ profile: SocialProfile, email: String, nickname: String?, from origin: Origin,
    in transaction: Transaction, now: Int64, _ mayMakeAccount: () throws -> Void
  ) throws -> (account: Account, admission: Admission?) {
    guard profile.isEmailVerified else {
      throw Failure(.invalid, "\(provider.rawValue) does not say that the e-mail address is verified")
    }
    let nickname =
      switch provider {
      // Apple sends the name only at an app's first authorisation, so most later first sign-ins here have none.
      case .apple:
        try TextRules.newName(nickname, TextRules.nickname) ?? TextRules.nickname(from: "", email: email)
      case .kakao: TextRules.nickname(from: profile.nickname ?? "", email: email)
      }
    do {
      // Checked before any change, as at a sign-up with a password. Existing accounts need no admission.
      try refuseIfReadOnly(transaction)
      try mayMakeAccount()
      let squatter = try unconfirmedHolder(of: email, in: transaction)
      if squatter == nil { try requireFree(email, in: transaction) }
      let invitations = try admit(email, from: origin, in: transaction)
      if let squatter {
        _ = try delete(squatter, by: .server, because: "address of a \(provider.rawValue) account", in: transaction)
      }
      let made = try transaction.insertUser(
        uuid: ids.uuid(), email: email, credential: .social(provider, subject: profile.subject), nickname: nickname,
        phone: "", now: now)
      guard let made else { throw Failure(.duplicate, "email: another account has it") }
      try transaction.addCoins(settings.coins.signUp, to: made.person.id.number, for: "sign-up", now: now)
      let waitsFor = try admitted(made.person, isVouchedFor: true, from: origin, in: transaction)
      return (
        try transaction.account(made.person.id.number), Admission(invitations: invitations, waitsFor: waitsFor)
      )
    } catch let failure as Failure {
      // Another process has made the account of this person, or the sign-up is refused.
      guard let account = try transaction.account(of: provider, subject: profile.subject) else { throw failure }
      return (account, nil)
    }
  }
}
