import ArgumentParser

struct DevPeopleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "people", abstract: "Other people who act.", subcommands: [DevPeopleList.self, DevPeopleAct.self])
}
