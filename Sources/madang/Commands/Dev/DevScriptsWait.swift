import ArgumentParser
import MadangDevelopment

struct DevScriptsWait: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wait", abstract: "Wait until a script has ended.",
    usage: "madang dev scripts wait <name> [--runs <count>] [options]",
    discussion: "Exit status 1 if it still runs when the time is over, or if a run failed.")

  @OptionGroup var script: ScriptOptions
  @Option(help: ArgumentHelp("Wait only until this many runs have ended.", valueName: "count")) var runs: Int?
  @Option(help: ArgumentHelp("How long to wait, up to 60s of real time.", valueName: "time")) var within = "10s"

  func validate() throws {
    _ = try WaitTime.read(within, of: "--within", atLeast: .milliseconds(1))
    guard runs ?? 1 > 0 else { throw ValidationError("--runs must be 1 or more.") }
  }

  func run() async throws {
    let options = script.options
    let report = try await options.server.call(
      ScriptReport.self, .get, options.path("scripts", script.name),
      query: [("wait", within), ("runs", runs.map { "\($0)" })])
    try script.printing.output.show(report)
    guard report.state != .ready else {
      throw Failure("the script '\(script.name)' was never started: 'madang dev scripts start', or start: true in it")
    }
    let isDone = runs.map { report.runs >= $0 } ?? (report.state != .running && report.underWay == 0)
    guard isDone else {
      let clock = try await options.server.call(ClockReading.self, .get, options.path("clock"))
      let world = options.world.map { " --world \($0)" } ?? ""
      let cure =
        clock.rate == 0
        ? "; the clock is frozen: pauses and rates continue with 'madang dev clock advance 10s\(world)'"
        : ""
      throw Failure("the script '\(script.name)' is not done within \(within)\(cure)")
    }
    guard report.failed == 0 else {
      throw Failure("\(report.failed) failure\(report.failed == 1 ? "" : "s") in the script '\(script.name)'")
    }
  }
}
