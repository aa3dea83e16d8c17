import ArgumentParser
import MadangOperations

struct AdminKeysRevoke: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "End a key: applications that send it are refused from now on.",
    usage: "madang admin keys revoke <number> [--yes] [options]")

  @OptionGroup var options: AdminOptions
  @OptionGroup var confirmation: ConfirmationOption
  @Argument(help: "The key's number.") var number: Int64

  func run() async throws {
    try confirmation.confirm("Revoke key \(number)?")
    try await options.withData { try $1.show(try await $0.revokeKey(number)) }
  }
}
