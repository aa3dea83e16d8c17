import ArgumentParser
import MadangDevelopment

struct DevWorldsRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Stop worlds and remove their data.",
    usage: "madang dev worlds remove <id> ... [options]\nmadang dev worlds remove --all [options]")

  @OptionGroup var server: DevelopmentServerOptions
  @OptionGroup var printing: JSONOption
  @Flag(help: "Remove all.") var all = false
  @Argument(help: "Their ids or names.") var id: [String] = []

  func validate() throws {
    if all == !id.isEmpty { throw ValidationError("Name worlds by their ids, or give --all.") }
  }

  func run() async throws {
    let ids = all ? try await server.call([WorldSummary].self, .get, ["worlds"]).map(\.id) : id
    for id in ids { _ = try await server.call(.delete, ["worlds", id]) }
    try printing.output.development(["removed": ids], [("removed", ids.joined(separator: ", "))])
  }
}
