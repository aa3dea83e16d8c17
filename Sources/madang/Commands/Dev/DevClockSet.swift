import ArgumentParser

struct DevClockSet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set the clock, forward or back.", usage: "madang dev clock set <date> [options]")

  @OptionGroup var clock: ClockOptions
  @Argument(help: "Such as 2026-01-05T09:00:00Z.") var date: String

  func run() async throws { try await clock.change("set", to: date) }
}
