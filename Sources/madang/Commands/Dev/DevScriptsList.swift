import ArgumentParser
import MadangDevelopment

struct DevScriptsList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the scripts.", usage: "madang dev scripts list [options]")

  @OptionGroup var options: DevelopmentOptions
  @OptionGroup var printing: JSONOption

  func run() async throws {
    try printing.output.show(try await options.server.call([ScriptReport].self, .get, options.path("scripts")))
  }
}
