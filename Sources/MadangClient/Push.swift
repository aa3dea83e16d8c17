import MadangAPI

extension MadangClient {
  /// Says where pushes to this session go; empty for nowhere.
  public func setDeviceToken(_ token: String) async throws {
    _ = try await answer(
      to: Call(
        Edition2024_10.setDeviceToken, Edition2024_10.setDeviceToken.path(), body: .fields([(.deviceToken, token)])))
  }
}
