import ArgumentParser
import MadangOperations

struct AdminChatsRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Take a chat's text and files away for good.",
    usage: "madang admin chats remove <chat> [--yes] [options]",
    discussion: """
      The chat keeps its place and its author, and says what the setting moderation.text says. Apps that have shown it before \
      keep what they have stored.
      """)

  @OptionGroup var options: AdminOptions
  @OptionGroup var confirmation: ConfirmationOption
  @Argument(help: "The chat's number, as 'find' tells it, or its id.") var chat: String

  func run() async throws {
    try confirmation.confirm("Take the text and files of chat \(chat) away?")
    try await options.withData { administration, output in
      try await administration.removeChat(chat)
      try output.object(Removed(removed: chat), [("removed", chat)])
    }
  }

  private struct Removed: Encodable {
    let removed: String
  }
}
