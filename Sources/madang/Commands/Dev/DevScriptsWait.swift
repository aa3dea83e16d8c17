import ArgumentParser
import MadangDevelopment

struct DevScriptsWait: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wait", abstract: "Wait until a script does not run any more.",
    usage: "madang dev scripts wait <name> [--runs <count>] [options]",
    discussion: "Exit status 1 if it is not so when the time is over, or if a run failed.")

  @OptionGroup var script: ScriptOptions
  @Option(help: ArgumentHelp("Only until so many of its runs are over.", valueName: "count")) var runs: Int?
  @Option(help: ArgumentHelp("How long, up to 60s of real time.", valueName: "time")) var within = "10s"

  func validate() throws {
    _ = try WaitTime.read(within, of: "--within", atLeast: .milliseconds(1))
    guard runs ?? 1 > 0 else { throw ValidationError("--runs must be 1 or more.") }
  }

  func run() async throws {
    let options = script.options
    let report = try await options.server.call(
      ScriptReport.self, .get, options.path("scripts", script.name),
      query: [("wait", within), ("runs", runs.map { "\($0)" })], waiting: 60)
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
        ? "; the clock stands still: what has a pause or a rate goes on with 'madang dev clock advance 10s\(world)'"
        : ""
      throw Failure("the script '\(script.name)' is not done within \(within)\(cure)")
    }
    guard report.failed == 0 else {
      throw Failure("\(report.failed) failure\(report.failed == 1 ? "" : "s") in the script '\(script.name)'")
    }
  }
}
