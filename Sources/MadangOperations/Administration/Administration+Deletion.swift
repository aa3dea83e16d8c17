import MadangCore
import MadangProviders

extension Administration {
  /// Deletes an account and everything about the person; its chats stay, without the name. Unlinks it at Kakao, if the
  /// admin key is set.
  /// - Throws: ``AdministrationError``, also if the account was deleted but not unlinked at Kakao.
  public func deleteAccount(_ email: String) async throws -> AccountSummary {
    try await finish(try await madang.deleteAccount(email: email, by: administrator), of: email)
  }

  /// Does the work outside of the database after a deletion.
  func finish(_ deleted: DeletedAccount, of email: String) async throws -> AccountSummary {
    if let subject = deleted.kakaoSubject, !settings.providers.kakao.adminKey.isEmpty {
      try await unlink(email, subject)
    }
    return AccountSummary(deleted.record)
  }

  /// After the deletion and without a queue, which would keep data of the deleted person.
  private func unlink(_ email: String, _ subject: String) async throws {
    let providers = settings.providers
    do {
      let connections = ProviderConnections(authorities: try providers.authorities())
      try await KakaoUnlinking(
        settings: providers.kakao, calls: ProviderCalls(timeout: providers.timeout, over: connections)
      ).unlink(subject)
    } catch {
      throw AdministrationError(
        description: "the account was deleted, but Kakao could not unlink user \(subject): "
          + "\(String(reflecting: error)); unlink this user with 'curl -H \"Authorization: KakaoAK ADMIN_KEY\" -d "
          + "target_id_type=user_id -d target_id=\(subject) \(providers.kakao.url)/v1/user/unlink'")
    }
    try await madang.audit(
      .providerUnlinked, subject: email, detail: ["provider": SocialProvider.kakao.rawValue],
      by: administrator)
  }
}
