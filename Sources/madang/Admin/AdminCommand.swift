import ArgumentParser

struct AdminCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "admin", abstract: "Look after a server, on its own machine.",
    discussion: """
      Works on the server's data itself, so it needs no account and no running server, and a running one goes on. It finds \
      the data as 'serve' does: --data or --database-url, the environment, --config.
      """,
    subcommands: [
      AdminStats.self, AdminMigrate.self, AdminBackup.self, AdminRestore.self, AdminCheck.self, AdminExport.self,
      AdminImport.self, AdminUsersCommand.self, AdminWorkspacesCommand.self, AdminChatsCommand.self,
      AdminSessionsCommand.self,
      AdminKeysCommand.self, AdminInviteCommand.self, AdminMail.self, AdminAudit.self, AdminAnnounceCommand.self,
      AdminReadOnlyCommand.self, AdminSettings.self,
    ])
}
