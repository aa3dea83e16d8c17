import ArgumentParser
import MadangOperations

struct AdminAnnounceCancel: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Stop an announcement; chats that were posted stay.",
    usage: "madang admin announce cancel <number> [options]",
    discussion: "Chats that were posted stay; 'madang admin chats find' and 'chats remove' remove them.")

  @OptionGroup var options: AdminOptions
  @Argument(help: "The announcement's number.") var number: Int64

  func run() async throws {
    try await options.withData { try $1.show(try await $0.cancelAnnouncement(number)) }
  }
}
