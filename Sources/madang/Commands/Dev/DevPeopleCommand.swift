import ArgumentParser

struct DevPeopleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "people", abstract: "People of a server, who can act for a test.",
    subcommands: [DevPeopleList.self, DevPeopleAct.self])
}
