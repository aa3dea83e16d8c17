import ArgumentParser

struct FileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "file", abstract: "Files that chats and profiles refer to.", subcommands: [FileGet.self])
}
