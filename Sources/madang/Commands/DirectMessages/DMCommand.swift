import ArgumentParser

struct DMCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dm", abstract: "Direct messages between two members of the current workspace.",
    subcommands: [DMList.self, DMOpen.self])
}
