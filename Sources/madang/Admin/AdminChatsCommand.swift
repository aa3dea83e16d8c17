import ArgumentParser

struct AdminChatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chats", abstract: "Chats that somebody has complained about, and their dates.",
    subcommands: [AdminChatsFind.self, AdminChatsRemove.self, AdminChatsRedate.self])
}
