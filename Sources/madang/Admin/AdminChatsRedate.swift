import ArgumentParser
import MadangOperations

struct AdminChatsRedate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "redate", abstract: "Date chats anew that a wrong clock has dated in the future.",
    usage: "madang admin chats redate [--yes] [options]",
    discussion: """
      Dates of a room always rise, so one chat that is dated in the future has all later ones dated after it. The last of them \
      gets the present time, those before it earlier ones; their order stays. Set the clock right first.
      Apps that have stored such chats ask for what is newer than they are: new chats reach these apps over the socket only, \
      until people sign out and in again there.
      """)

  @OptionGroup var options: AdminOptions
  @OptionGroup var confirmation: ConfirmationOption

  func run() async throws {
    try confirmation.confirm("Is this machine's clock right, and are chats with later dates to be dated anew?")
    try await options.withData { administration, output in
      let redated = try await administration.redateFutureChats()
      try output.object(redated, [("rooms", "\(redated.rooms)"), ("chats", "\(redated.chats)")])
    }
  }
}
