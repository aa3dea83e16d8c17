import ArgumentParser
import MadangDevelopment

struct DevRestart: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restart", abstract: "Simulate a restart of a server: all connections end.",
    usage: "madang dev restart [--down-for <time>] [options]",
    discussion: "Until then (in real time) new connections are closed at once. Data stays.")

  @OptionGroup var options: DevelopmentOptions
  @OptionGroup var printing: JSONOption
  @Option(help: ArgumentHelp("For how long the server is unreachable, up to 60s.", valueName: "time")) var downFor =
    "500ms"

  func validate() throws { _ = try WaitTime.read(downFor, of: "--down-for") }

  func run() async throws {
    let body = ["downFor": downFor]
    _ = try await options.server.call(.post, options.path("restart"), body: try DevelopmentJSON.encode(body))
    try printing.output.development(body, [("down for", downFor)])
  }
}
