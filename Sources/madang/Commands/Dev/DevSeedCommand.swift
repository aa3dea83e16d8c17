import ArgumentParser

struct DevSeedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seed", abstract: "Seeds: the initial data of worlds.",
    subcommands: [DevSeedCheck.self, DevSeedExport.self])
}
