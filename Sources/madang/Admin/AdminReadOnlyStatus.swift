import ArgumentParser
import MadangOperations

struct AdminReadOnlyStatus: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show whether people may write.",
    usage: "madang admin read-only status [options]")

  @OptionGroup var options: AdminOptions

  func run() async throws { try await options.withData { try $1.show(try await $0.readOnlyMode()) } }
}
