import ArgumentParser

struct DMCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dm", abstract: "Direct messages with another member of the current workspace.",
    subcommands: [DMList.self, DMOpen.self])
}
