import MadangAPI

extension MadangClient {
  /// Signs in with Apple; the first time this makes the account.
  /// E03: Apple did not issue the token; E11: the nickname is too long; E12: the address signs in another way.
  /// - Parameters:
  ///   - idToken: The identity token Apple gave to the app.
  ///   - nickname: The name others see, up to 30 characters; without one it is the local part of the address. Read the first time only.
  ///   - deviceToken: Where pushes to this session go.
  @discardableResult
  public func signInWithApple(
    idToken: String, nickname: String? = nil, deviceToken: String? = nil
  ) async throws -> Edition2024_10.Login {
    try await signIn(
      by: Edition2024_10.signInWithApple, [(.idToken, idToken), (.nickname, nickname), (.deviceToken, deviceToken)])
  }

  /// Signs in with Kakao; the first time this makes the account, named as at Kakao.
  /// E03: Kakao does not know the token; E11: the person has no address there; E12: the address signs in another way.
  /// - Parameters:
  ///   - oauthToken: The access token Kakao gave to the app.
  ///   - deviceToken: Where pushes to this session go.
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
