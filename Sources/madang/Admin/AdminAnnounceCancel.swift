import ArgumentParser
import MadangOperations

struct AdminAnnounceCancel: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Stop an announcement; what was posted stays.",
    usage: "madang admin announce cancel <number> [options]",
    discussion: "Where it was posted it stays; 'madang admin chats find' and 'chats remove' take it away there.")

  @OptionGroup var options: AdminOptions
  @Argument(help: "The announcement's number.") var number: Int64

  func run() async throws {
    try await options.withData { try $1.show(try await $0.cancelAnnouncement(number)) }
  }
}
