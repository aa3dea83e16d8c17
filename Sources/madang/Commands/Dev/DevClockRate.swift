import ArgumentParser

struct DevClockRate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rate", abstract: "Let the clock run slower or faster.",
    usage: "madang dev clock rate <times> [options]")

  @OptionGroup var clock: ClockOptions
  @Argument(help: "How many times as fast as real time, 0 to 100000.") var times: Double

  func validate() throws {
    guard (0...100_000).contains(times) else {
      throw ValidationError("Write how many times as fast as real time, 0 to 100000.")
    }
  }

  func run() async throws { try await clock.change("rate", to: times) }
}
