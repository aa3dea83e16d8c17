import ArgumentParser
import MadangOperations

struct AdminReadOnlyOff: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "off", abstract: "Let people write again.", usage: "madang admin read-only off [options]")

  @OptionGroup var options: AdminOptions

  func run() async throws { try await options.withData { try $1.show(try await $0.endReadOnlyMode()) } }
}
