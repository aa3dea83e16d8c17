import ArgumentParser

struct DevClockResume: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Have the clock run as fast as time passes.",
    usage: "madang dev clock resume [options]")

  @OptionGroup var clock: ClockOptions

  func run() async throws { try await clock.change("resume", to: true) }
}
