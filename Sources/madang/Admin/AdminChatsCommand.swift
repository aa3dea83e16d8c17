import ArgumentParser

struct AdminChatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chats", abstract: "Find and remove chats, such as those reported by people, and repair their dates.",
    subcommands: [AdminChatsFind.self, AdminChatsRemove.self, AdminChatsRedate.self])
}
