import ArgumentParser

struct DevClockResume: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Let the clock run at the speed of real time.",
    usage: "madang dev clock resume [options]")

  @OptionGroup var clock: ClockOptions

  func run() async throws { try await clock.change("resume", to: true) }
}
