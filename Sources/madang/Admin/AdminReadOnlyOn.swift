import ArgumentParser
import MadangOperations

struct AdminReadOnlyOn: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "on", abstract: "Refuse changes by people from now on.",
    usage: "madang admin read-only on [--reason <text>] [options]")

  @OptionGroup var options: AdminOptions
  @Option(help: ArgumentHelp("Why, for other administrators and the audit log.", valueName: "text")) var reason = ""

  func run() async throws {
    try await options.withData { try $1.show(try await $0.beginReadOnlyMode(reason: reason)) }
  }
}
