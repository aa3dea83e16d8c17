import ArgumentParser

struct DevSeedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seed", abstract: "How worlds begin.", subcommands: [DevSeedCheck.self, DevSeedExport.self])
}
