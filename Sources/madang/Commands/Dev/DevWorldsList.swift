import ArgumentParser
import MadangDevelopment

struct DevWorldsList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the worlds.", usage: "madang dev worlds list [options]")

  @OptionGroup var server: DevelopmentServerOptions
  @OptionGroup var printing: JSONOption

  func run() async throws {
    let worlds = try await server.call([WorldSummary].self, .get, ["worlds"])
    try printing.output.developmentList(
      worlds,
      [
        Column("ID", \.id), Column("NAME", \.name), Column("URL", \.url), Column("SEED", \.seed),
        Column("NUMBER") { $0.number.map { "\($0)" } ?? "" }, Column("NOW", \.now),
      ], empty: "There are no worlds.")
  }
}
