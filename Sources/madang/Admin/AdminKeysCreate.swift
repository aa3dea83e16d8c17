import ArgumentParser
import MadangAPI
import MadangServer

struct AdminKeysCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Make a key. It is shown this once.",
    usage: "madang admin keys create <label> [--edition <edition>] [options]")

  @OptionGroup var options: AdminOptions
  @Argument(help: "What tells it from others, such as the application's name.") var label: String
  @Option(help: ArgumentHelp("The edition it is for.", valueName: "2024-10|2024-01")) var edition = "2024-10"

  func validate() throws {
    if EditionName(rawValue: edition) == nil { throw ValidationError("There is no edition '\(edition)'.") }
  }

  func run() async throws {
    guard let edition = EditionName(rawValue: edition) else { return }
    try await options.withData { try $1.show(try await $0.createKey(edition, label: label)) }
  }
}
