import ArgumentParser

struct DevSocketsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sockets", abstract: "List open sockets, or cut them.",
    subcommands: [DevSocketsList.self, DevSocketsCut.self])
}
