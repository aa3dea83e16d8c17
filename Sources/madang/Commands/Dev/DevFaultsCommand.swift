import ArgumentParser

struct DevFaultsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "faults", abstract: "What goes wrong on purpose.",
    subcommands: [DevFaultsList.self, DevFaultsAdd.self, DevFaultsRemove.self])
}
