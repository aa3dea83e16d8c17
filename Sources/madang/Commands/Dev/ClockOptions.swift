import ArgumentParser
import MadangDevelopment

struct ClockOptions: ParsableArguments {
  @OptionGroup var options: DevelopmentOptions
  @OptionGroup var printing: JSONOption

  /// Changes the clock, and prints it.
  func change(_ field: String, to value: some Encodable) async throws {
    try show(
      try await options.server.call(
        ClockReading.self, .post, options.path("clock"), body: try DevelopmentJSON.encode([field: value])))
  }

  func show() async throws {
    try show(try await options.server.call(ClockReading.self, .get, options.path("clock")))
  }

  private func show(_ clock: ClockReading) throws {
    try printing.output.development(clock, [("now", clock.now), ("rate", "\(clock.rate)")])
  }
}
