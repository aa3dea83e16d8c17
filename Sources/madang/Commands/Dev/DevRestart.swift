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

  private func milliseconds() throws -> Int { Int(try WaitTime.read(downFor, of: "--down-for") / .milliseconds(1)) }

  func validate() throws { _ = try milliseconds() }

  func run() async throws {
    let body = ["milliseconds": try milliseconds()]
    _ = try await options.server.call(.post, options.path("restart"), body: try DevelopmentJSON.encode(body))
    try printing.output.development(body, [("down for", downFor)])
  }
}
