import ArgumentParser

struct DevWorldsReset: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset", abstract: "Return a world to its initial data.",
    usage: "madang dev worlds reset <id> [options]")

  @OptionGroup var world: ReturnOptions

  func run() async throws { try await world.put("reset") }
}
