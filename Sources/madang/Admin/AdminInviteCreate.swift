import ArgumentParser
import MadangOperations

struct AdminInviteCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Invite an address, or make a code with which people invite their own address.",
    usage: "madang admin invite (<email> | --code) [--days <days>] [options]",
    discussion: """
      A code is shown only once, with a link to a page of the server where its holder enters an address. The setting \
      'public.url' is the first part of the link.
      """)

  @OptionGroup var options: AdminOptions
  @Argument(help: "The address.") var email: String?
  @Flag(help: "Make a code.") var code = false
  @Option(help: ArgumentHelp("How many addresses the code invites (default: 1).", valueName: "count")) var uses: Int?
  @Option(help: "How many days it is valid.") var days = 14

  func validate() throws {
    if (email == nil) != code { throw ValidationError("Give an address, or --code\(code ? ", not both" : "").") }
    if uses != nil, !code { throw ValidationError("An address makes one account: --uses is for --code.") }
    if let uses, !Administration.invitationUses.contains(uses) {
      throw ValidationError("--uses must be from 1 to \(Administration.invitationUses.upperBound).")
    }
    if !Administration.invitationDays.contains(days) {
      throw ValidationError("--days must be from 1 to \(Administration.invitationDays.upperBound).")
    }
  }

  func run() async throws {
    try await options.withData { administration, output in
      let made =
        if let email {
          try await administration.invite(email, days: days)
        } else {
          try await administration.inviteByCode(uses: uses ?? 1, days: days)
        }
      try output.show(made)
    }
  }
}
