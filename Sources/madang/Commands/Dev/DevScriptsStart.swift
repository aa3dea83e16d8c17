import ArgumentParser

struct DevScriptsStart: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start", abstract: "Start a script from its beginning.",
    usage: "madang dev scripts start <name> [options]")

  @OptionGroup var script: ScriptOptions

  func run() async throws { try await script.act("start") }
}
