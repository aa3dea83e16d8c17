import ArgumentParser

struct DevClockFreeze: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "freeze", abstract: "Stop the clock.", usage: "madang dev clock freeze [options]")

  @OptionGroup var clock: ClockOptions

  func run() async throws { try await clock.change("freeze", to: true) }
}
