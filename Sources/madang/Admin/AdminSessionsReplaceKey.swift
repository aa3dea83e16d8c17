import ArgumentParser
import MadangOperations

struct AdminSessionsReplaceKey: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replace-key", abstract: "Make a new key that signs access tokens.",
    usage: "madang admin sessions replace-key [--yes] [options]",
    discussion: """
      For use when the key may have leaked. Stop all servers first (it is refused otherwise), and start them afterwards. Access tokens and socket cookies become invalid; sessions continue with their refresh tokens. Servers \
      that get the key from tokens.key may get a new one afterwards.
      """)

  @OptionGroup var options: AdminOptions
  @OptionGroup var confirmation: ConfirmationOption

  func run() async throws {
    try confirmation.confirm("Replace the key that signs access tokens? All access tokens become invalid.")
    try await options.withData { administration, output in
      try await administration.replaceTokenKey()
      try output.object(["replaced": true], [("replaced", "yes; start all servers again")])
    }
  }
}
