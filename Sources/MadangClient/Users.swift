import Logging
import MadangAPI

extension MadangClient {
  /// Checks whether an address is well formed (E11) and free (E12). Signing up checks again.
  public func validateEmail(_ email: String) async throws {
    _ = try await answer(
      to: Call(
        Edition2024_10.validateEmail, Edition2024_10.validateEmail.path(), body: .fields([(.email, email)])))
  }

  /// Creates an account and signs in. E11: a field is not valid; E12: the address is taken.
  @discardableResult
  public func signUp(
    email: String, password: String, nickname: String, phone: String? = nil, deviceToken: String? = nil
  ) async throws -> Edition2024_10.Login {
    let login = try await answer(
      to: Call(
        Edition2024_10.signUp, Edition2024_10.signUp.path(),
        body: .fields([
          (.email, email), (.password, password), (.nickname, nickname), (.phone, phone), (.deviceToken, deviceToken),
        ])))
    try await session.signedIn(login.token)
    return login
  }

  /// Signs in. A former session stays valid at the server. E03: unknown address or wrong password.
  @discardableResult
  public func signIn(
    email: String, password: String, deviceToken: String? = nil
  ) async throws -> Edition2024_10.Login {
    let login = try await answer(
      to: Call(
        Edition2024_10.signIn, Edition2024_10.signIn.path(),
        body: .fields([(.email, email), (.password, password), (.deviceToken, deviceToken)])))
    try await session.signedIn(login.token)
    return login
  }

  /// Ends the session, here and at the server. A session that the server no longer knows counts as ended.
  public func signOut() async throws {
    do {
      _ = try await answer(to: Call(Edition2024_10.signOut, Edition2024_10.signOut.path()))
    } catch let error as MadangError where error.code == .badToken || error.code == .noAccount {
      logger.debug("the session had already ended at the server", metadata: ["code": "\(error)"])
    }
    try await session.signedOut()
  }

  /// The caller's own account.
  public func me() async throws -> Edition2024_10.Me {
    try await answer(to: Call(Edition2024_10.me, Edition2024_10.me.path()))
  }

  /// Changes the given fields; an empty phone clears it. E11: a field is not valid.
  public func editMe(nickname: String? = nil, phone: String? = nil) async throws -> Edition2024_10.Me {
    try await answer(
      to: Call(
        Edition2024_10.editMe, Edition2024_10.editMe.path(), body: .fields([(.nickname, nickname), (.phone, phone)])))
  }

  /// Changes the profile picture. E11: not an image, or too large.
  public func editPicture(_ picture: Upload, progress: UploadProgress? = nil) async throws -> Edition2024_10.Me {
    try await answer(
      to: Call(
        Edition2024_10.editPicture, Edition2024_10.editPicture.path(),
        body: RequestBody([], file: (.image, picture), progress: progress)))
  }

  /// A person who shares a workspace or a direct-message room with the caller; otherwise E03.
  public func user(_ id: String) async throws -> Edition2024_10.Member {
    try await answer(to: Call(Edition2024_10.user, Edition2024_10.user.path(id)))
  }
}
