import ArgumentParser
import MadangOperations

struct AdminUsersApprove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "approve", abstract: "Approve an account that waits for it.",
    usage: "madang admin users approve <email> [options]",
    discussion:
      "From then on it can create workspaces and be added to them. If the server sends mails, its owner gets one.")

  @OptionGroup var options: AdminOptions
  @Argument(help: "The account's address.") var email: String

  func run() async throws {
    try await options.withData { try $1.show(try await $0.approve(email)) }
  }
}
