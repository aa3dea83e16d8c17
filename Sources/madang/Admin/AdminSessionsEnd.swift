import ArgumentParser
import MadangOperations

struct AdminSessionsEnd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "end", abstract: "End one session, or all of an account.",
    usage: "madang admin sessions end (<number> | --user <email>) [--yes] [options]")

  @OptionGroup var options: AdminOptions
  @OptionGroup var confirmation: ConfirmationOption
  @Argument(help: "The session's number.") var number: Int64?
  @Option(help: ArgumentHelp("All sessions of this account.", valueName: "email")) var user: String?

  func validate() throws {
    if (number == nil) == (user == nil) { throw ValidationError("Give a session's number, or --user.") }
  }

  func run() async throws {
    try confirmation.confirm(user.map { "End all sessions of \($0)?" } ?? "End this session?")
    try await options.withData { administration, output in
      var ended = 1
      if let number { try await administration.endSession(number) }
      if let user { ended = try await administration.endSessions(of: user) }
      try output.object(["ended": ended], [("ended", "\(ended)")])
    }
  }
}
