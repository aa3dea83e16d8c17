import MadangCore
import MadangProviders

extension Administration {
  /// Deletes an account and everything about the person; what it wrote in rooms stays, without their name. Kakao is told, if its
  /// admin key is set.
  /// - Throws: ``AdministrationError``, also when the account was deleted and Kakao could not be told.
  public func deleteAccount(_ email: String) async throws -> AccountSummary {
    try await finish(try await madang.deleteAccount(email: email), of: email)
  }

  /// Does what is to be done outside of the database when an account was deleted.
  func finish(_ deleted: DeletedAccount, of email: String) async throws -> AccountSummary {
    if let subject = deleted.kakaoSubject, !settings.providers.kakao.adminKey.isEmpty {
      try await unlink(email, subject)
    }
    return AccountSummary(deleted.record)
  }

  /// After the deletion, and not remembered: who asks to be deleted is not kept in a queue.
  private func unlink(_ email: String, _ subject: String) async throws {
    let providers = settings.providers
    do {
      let connections = ProviderConnections(authorities: try providers.authorities())
      try await KakaoUnlinking(
        settings: providers.kakao, calls: ProviderCalls(timeout: providers.timeout, over: connections)
      ).unlink(subject)
    } catch {
      throw AdministrationError(
        description: "the account was deleted, but Kakao could not be told to unlink user \(subject): "
          + "\(String(reflecting: error)); unlink this number by 'curl -H \"Authorization: KakaoAK ADMIN_KEY\" -d "
          + "target_id_type=user_id -d target_id=\(subject) \(providers.kakao.url)/v1/user/unlink'")
    }
    try await madang.audit(.providerUnlinked, subject: email, detail: ["provider": SocialProvider.kakao.rawValue])
  }
}
