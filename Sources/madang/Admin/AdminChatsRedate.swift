import ArgumentParser
import MadangOperations

struct AdminChatsRedate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "redate", abstract: "Repair chats that a wrong clock has dated in the future.",
    usage: "madang admin chats redate [--yes] [options]",
    discussion: """
      Dates in a room always rise, so after one chat with a future date all later chats are dated after it. The last of them \
      gets the present time, the ones before it earlier times; their order stays. Correct the clock first.
      Apps that have stored such chats ask only for newer ones: until people sign out and in again there, \
      new chats reach these apps over the socket only.
      """)

  @OptionGroup var options: AdminOptions
  @OptionGroup var confirmation: ConfirmationOption

  func run() async throws {
    try confirmation.confirm("This machine's clock must be right. Give chats with later dates new ones?")
    try await options.withData { administration, output in
      let redated = try await administration.redateFutureChats()
      try output.object(redated, [("rooms", "\(redated.rooms)"), ("chats", "\(redated.chats)")])
    }
  }
}
