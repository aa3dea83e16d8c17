import ArgumentParser
import MadangOperations

struct AdminSessionsReplaceKey: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replace-key", abstract: "Make another key that signs access tokens.",
    usage: "madang admin sessions replace-key [--yes] [options]",
    discussion: """
      For when somebody else may have read the key. Stop all servers before, else it is refused, and start them after it. Access tokens and the cookies of sockets end; sessions go on by their refresh tokens. Servers \
      that are given a key (tokens.key) may be given another one after it.
      """)

  @OptionGroup var options: AdminOptions
  @OptionGroup var confirmation: ConfirmationOption

  func run() async throws {
    try confirmation.confirm("Replace the key that signs access tokens? Those that were issued end.")
    try await options.withData { administration, output in
      try await administration.replaceTokenKey()
      try output.object(Replaced(replaced: true), [("replaced", "yes; start all servers again")])
    }
  }

  private struct Replaced: Encodable {
    let replaced: Bool
  }
}
