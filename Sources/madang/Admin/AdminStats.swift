import ArgumentParser
import MadangOperations

struct AdminStats: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats", abstract: "Show how much the server holds.", usage: "madang admin stats [options]")

  @OptionGroup var options: AdminOptions

  func run() async throws {
    try await options.withData { administration, output in
      let all = try await administration.statistics()
      try output.object(
        all,
        [
          ("accounts", "\(all.accounts), \(all.disabledAccounts) of them disabled"), ("sessions", "\(all.sessions)"),
          ("workspaces", "\(all.workspaces)"), ("channels", "\(all.channels)"),
          ("direct messages", "\(all.directMessages)"), ("chats", "\(all.chats)"),
          ("files", "\(all.files), \(all.fileBytes) bytes"), ("coins", "\(all.coins)"),
        ])
    }
  }
}
