import ArgumentParser
import MadangDevelopment

struct DevSocketsList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the open sockets, the newest first.",
    usage: "madang dev sockets list [options]")

  @OptionGroup var options: DevelopmentOptions
  @OptionGroup var printing: JSONOption

  func run() async throws {
    let sockets = try await options.server.call([OpenSocket].self, .get, options.path("sockets"))
    try printing.output.developmentList(
      sockets,
      [
        Column("SESSION", \.session), Column("WHO") { $0.account ?? "" }, Column("TRANSPORT", \.transport),
        Column("SINCE", \.since), Column("ROOMS") { $0.namespaces.joined(separator: ", ") },
      ], empty: "No socket is open.")
  }
}
