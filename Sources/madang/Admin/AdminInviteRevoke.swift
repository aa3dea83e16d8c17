import ArgumentParser
import MadangOperations

struct AdminInviteRevoke: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "End an invitation. If it is a code, unused invitations made with it end, too.",
    usage: "madang admin invite revoke <number> [--yes] [options]",
    discussion: "Accounts that were created with it stay.")

  @OptionGroup var options: AdminOptions
  @OptionGroup var confirmation: ConfirmationOption
  @Argument(help: "The invitation's number.") var number: Int64

  func run() async throws {
    try confirmation.confirm("Revoke invitation \(number)?")
    try await options.withData { try $1.show(try await $0.revokeInvitation(number)) }
  }
}
