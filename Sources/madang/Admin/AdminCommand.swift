import ArgumentParser

struct AdminCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "admin", abstract: "Administer a server, on its own machine.",
    discussion: """
      Works directly on the server's data: it needs no account and no running server, and does not disturb a running one. \
      It finds the server of the package by itself (/etc/madang/madang.json). --config, --data, --database-url and the \
      environment name another one. Root works as the owner of the data directory.
      """,
    subcommands: [
      AdminStats.self, AdminFiles.self, AdminMigrate.self, AdminBackup.self, AdminBackups.self, AdminRestore.self,
      AdminCheck.self, AdminExport.self,
      AdminImport.self, AdminUsersCommand.self, AdminWorkspacesCommand.self, AdminChatsCommand.self,
      AdminSessionsCommand.self,
      AdminKeysCommand.self, AdminInviteCommand.self, AdminMail.self, AdminMails.self, AdminAudit.self,
      AdminAnnounceCommand.self,
      AdminReadOnlyCommand.self, AdminCertificateCommand.self, AdminWebCommand.self, AdminSettings.self,
    ])
}
