import ArgumentParser
import MadangDevelopment

struct DevClockAdvance: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "advance", abstract: "Advance the clock; everything due until then happens at once.",
    usage: "madang dev clock advance <time> [options]")

  @OptionGroup var clock: ClockOptions
  @Argument(help: "A length of time like 500ms, 90s, 25h or 3d.") var time: String

  func validate() throws {
    guard GivenTime(time) != nil else {
      throw ValidationError(
        "'\(time)' is not a length of time: write it like 500ms, 90s, 25h or 3d, or a number of seconds.")
    }
  }

  func run() async throws { try await clock.change("advance", to: time) }
}
