import MadangAPI

extension MadangClient {
  /// Sets the device token for pushes to this session; empty for no pushes.
  public func setDeviceToken(_ token: String) async throws {
    _ = try await answer(
      to: Call(
        Edition2024_10.setDeviceToken, Edition2024_10.setDeviceToken.path(), body: .fields([(.deviceToken, token)])))
  }
}
