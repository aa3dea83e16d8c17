import ArgumentParser

struct DevWorldsRestore: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Return a world to a snapshot.",
    usage: "madang dev worlds restore <id> <name> [options]")

  @OptionGroup var world: ReturnOptions
  @Argument(help: "The snapshot's name.") var name: String

  func run() async throws { try await world.put("snapshots", name, "restore") }
}
