import ArgumentParser

struct DevScriptsStop: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop", abstract: "End a script and its runs.", usage: "madang dev scripts stop <name> [options]")

  @OptionGroup var script: ScriptOptions

  func run() async throws { try await script.act("stop") }
}
