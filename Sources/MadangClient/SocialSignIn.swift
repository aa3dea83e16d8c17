import MadangAPI

extension MadangClient {
  /// Signs in with Apple; the first time this creates the account.
  /// E03: Apple did not issue the token; E11: the nickname is too long; E12: the address belongs to an account with another sign-in method.
  /// - Parameters:
  ///   - idToken: The identity token that Apple gave to the app.
  ///   - nickname: The name that others see, up to 30 characters; by default the local part of the address. Used the first time only.
  ///   - deviceToken: The device token for pushes to this session.
  @discardableResult
  public func signInWithApple(
    idToken: String, nickname: String? = nil, deviceToken: String? = nil
  ) async throws -> Edition2024_10.Login {
    try await signIn(
      by: Edition2024_10.signInWithApple, [(.idToken, idToken), (.nickname, nickname), (.deviceToken, deviceToken)])
  }

  /// Signs in with Kakao; the first time this creates the account, with the name from Kakao.
  /// E03: Kakao does not know the token; E11: the Kakao account has no address; E12: the address belongs to an account with another sign-in
  /// method.
  /// - Parameters:
  ///   - oauthToken: The access token that Kakao gave to the app.
  ///   - deviceToken: The device token for pushes to this session.
  @discardableResult
  public func signInWithKakao(oauthToken: String, deviceToken: String? = nil) async throws -> Edition2024_10.Login {
    try await signIn(
      by: Edition2024_10.signInWithKakao, [(.oauthToken, oauthToken), (.deviceToken, deviceToken)])
  }

  private func signIn(
    by endpoint: Endpoint<Edition2024_10.Login>, _ fields: [(Field, String?)]
  ) async throws -> Edition2024_10.Login {
    let login = try await answer(to: Call(endpoint, endpoint.path(), body: .fields(fields)))
    try await session.signedIn(login.token)
    return login
  }
}
