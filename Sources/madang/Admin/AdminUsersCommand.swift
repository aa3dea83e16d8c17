import ArgumentParser
import MadangOperations

struct AdminUsersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "users", abstract: "Accounts.",
    subcommands: [
      AdminUsersList.self, AdminUsersPending.self, AdminUsersApprove.self, AdminUsersReject.self,
      AdminUsersConfirm.self, AdminUsersDisable.self, AdminUsersEnable.self, AdminUsersResetPassword.self,
      AdminUsersGiveCoins.self, AdminUsersExport.self, AdminUsersDelete.self,
    ])
}

extension Output {
  func show(_ account: AccountSummary) throws {
    try object(
      account,
      [
        ("email", account.email), ("nickname", account.nickname), ("coins", "\(account.coins)"),
        ("sessions", "\(account.sessions)"), ("disabled", account.disabledAt.map { LocalTime($0).day } ?? "no"),
        ("deleted", account.deletedAt.map { LocalTime($0).day } ?? "no"),
        ("waits for", account.waitsFor.isEmpty ? "nothing" : account.waitsFor),
        ("number", "\(account.number)"), ("id", account.userID),
      ])
  }
}

extension AccountSummary {
  /// In words; empty if the account waits for nothing.
  var waitsFor: String {
    [unconfirmedAt.map { _ in "confirmation" }, pendingAt.map { _ in "approval" }].compactMap(\.self)
      .joined(separator: ", ")
  }

  /// A short word for the table; empty for an ordinary account.
  var state: String {
    deletedAt != nil ? "deleted" : disabledAt != nil ? "disabled" : waitsFor.isEmpty ? "" : "waits for \(waitsFor)"
  }
}
