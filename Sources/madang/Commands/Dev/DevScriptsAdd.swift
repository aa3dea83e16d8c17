import ArgumentParser
import Foundation
import MadangDevelopment

struct DevScriptsAdd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add scripts of a file, and list all there are.",
    usage: "madang dev scripts add <file> [options]")

  @OptionGroup var options: DevelopmentOptions
  @OptionGroup var printing: JSONOption
  @Argument(help: "One script or a list, in YAML or JSON; - for standard input.", completion: .file()) var file: String

  func run() async throws {
    let text = try textOfInput(file)
    do { _ = try Script.read(text) } catch { throw Failure("\(file): \(error)") }
    let scripts = try await options.server.call(
      [ScriptReport].self, .post, options.path("scripts"), body: Data(text.utf8))
    try printing.output.show(scripts)
  }
}
