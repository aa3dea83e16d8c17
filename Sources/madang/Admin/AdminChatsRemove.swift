import ArgumentParser
import MadangOperations

struct AdminChatsRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a chat's text and files for ever.",
    usage: "madang admin chats remove <chat> [--yes] [options]",
    discussion: """
      The chat keeps its place and its author; its text becomes that of the setting moderation.text. Apps that have shown it before \
      keep their stored copy.
      """)

  @OptionGroup var options: AdminOptions
  @OptionGroup var confirmation: ConfirmationOption
  @Argument(help: "The chat's number, as 'find' prints it, or its id.") var chat: String

  func run() async throws {
    try confirmation.confirm("Remove the text and files of chat \(chat)?")
    try await options.withData { administration, output in
      try await administration.removeChat(chat)
      try output.object(["removed": chat], [("removed", chat)])
    }
  }
}
