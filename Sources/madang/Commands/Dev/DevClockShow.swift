import ArgumentParser

struct DevClockShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the time.", usage: "madang dev clock [--world <id>] [options]")

  @OptionGroup var clock: ClockOptions

  func run() async throws { try await clock.show() }
}
