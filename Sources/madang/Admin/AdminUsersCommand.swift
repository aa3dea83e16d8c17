import ArgumentParser
import MadangServer

struct AdminUsersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "users", abstract: "Accounts.",
    subcommands: [
      AdminUsersList.self, AdminUsersDisable.self, AdminUsersEnable.self, AdminUsersResetPassword.self,
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
        ("number", "\(account.number)"), ("id", account.userID),
      ])
  }
}
