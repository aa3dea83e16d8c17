import ArgumentParser
import MadangDevelopment

struct DevRestart: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restart", abstract: "Have a server seem to restart: all connections end.",
    usage: "madang dev restart [--down-for <time>] [options]",
    discussion: "New connections are closed at once meanwhile, in real time. Data stays.")

  @OptionGroup var options: DevelopmentOptions
  @OptionGroup var printing: JSONOption
  @Option(help: ArgumentHelp("For how long nobody reaches it, up to 60s.", valueName: "time")) var downFor = "500ms"

  private var milliseconds: Int64 { SeedTime.distance(downFor) ?? -1 }

  func validate() throws {
    guard (0...Int64(FaultRule.Limits.restart)).contains(milliseconds) else {
      throw ValidationError("--down-for must be a length of time like 500ms or 5s, up to 60s.")
    }
  }

  func run() async throws {
    let body = ["milliseconds": milliseconds]
    _ = try await options.server.call(.post, options.path("restart"), body: try DevelopmentJSON.encode(body))
    try printing.output.development(body, [("down for", downFor)])
  }
}
