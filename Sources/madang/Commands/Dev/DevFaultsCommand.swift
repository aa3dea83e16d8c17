import ArgumentParser

struct DevFaultsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "faults", abstract: "Faults: failures that the server makes on purpose.",
    subcommands: [DevFaultsList.self, DevFaultsAdd.self, DevFaultsRemove.self])
}
