import ArgumentParser
import MadangDevelopment

struct ScriptOptions: ParsableArguments {
  @OptionGroup var options: DevelopmentOptions
  @OptionGroup var printing: JSONOption
  @Argument(help: "The script's name.") var name: String

  func act(_ act: String) async throws {
    try printing.output.show(
      try await options.server.call(ScriptReport.self, .post, options.path("scripts", name, act)))
  }
}
