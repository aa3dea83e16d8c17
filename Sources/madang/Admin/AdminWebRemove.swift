import ArgumentParser
import MadangOperations

struct AdminWebRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove an administrator of the console; their sessions end at once.",
    usage: "madang admin web remove <name> [--yes] [options]",
    discussion: """
      It also removes the last one, which the console itself refuses. A person who has lost authenticator app and recovery codes is removed and \
      added again by a new link.
      """)

  @OptionGroup var options: AdminOptions
  @OptionGroup var confirmation: ConfirmationOption
  @Argument(help: "The administrator's name.") var name: String

  func run() async throws {
    try confirmation.confirm("Remove the administrator \(name)?")
    try await options.withData { administration, output in
      let removed = try await administration.removeAdministrator(name)
      try output.object(removed, [("removed", removed.name)])
    }
  }
}
