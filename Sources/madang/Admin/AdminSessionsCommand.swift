import ArgumentParser

struct AdminSessionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "Who is signed in.",
    subcommands: [AdminSessionsList.self, AdminSessionsEnd.self, AdminSessionsReplaceKey.self])
}
