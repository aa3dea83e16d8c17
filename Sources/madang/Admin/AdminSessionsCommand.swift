import ArgumentParser

struct AdminSessionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "Sessions: where accounts are signed in.",
    subcommands: [AdminSessionsList.self, AdminSessionsEnd.self, AdminSessionsReplaceKey.self])
}
