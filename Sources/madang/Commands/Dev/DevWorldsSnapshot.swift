import ArgumentParser
import MadangDevelopment

struct DevWorldsSnapshot: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshot", abstract: "Save the present state of a world under a name.",
    usage: "madang dev worlds snapshot <id> <name> [options]")

  @OptionGroup var server: DevelopmentServerOptions
  @OptionGroup var printing: JSONOption
  @Argument(help: "The world's id or name.") var id: String
  @Argument(help: "A name; an existing snapshot of this name is replaced.") var name: String

  func run() async throws {
    let body = try DevelopmentJSON.encode(["name": name])
    let names = try await server.call([String].self, .post, ["worlds", id, "snapshots"], body: body)
    try printing.output.development(["snapshots": names], [("snapshots", names.joined(separator: ", "))])
  }
}
