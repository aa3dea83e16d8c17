import ArgumentParser
import MadangDevelopment

struct DevPeopleList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List people and their workspaces.", usage: "madang dev people list [options]")

  @OptionGroup var options: DevelopmentOptions
  @OptionGroup var printing: JSONOption
  @Option(help: ArgumentHelp("Only those after this number; the next page of a list.", valueName: "number"))
  var after: Int64 = 0

  /// Accounts per page.
  private static let page = 1000

  func run() async throws {
    let people = try await options.server.call(
      [PersonSummary].self, .get, options.path("people"), query: [("after", "\(after)")])
    try printing.output.developmentList(
      people,
      [
        Column("EMAIL", \.email), Column("NICKNAME", \.nickname), Column("NUMBER") { "\($0.number)" },
        Column("WORKSPACES") { $0.workspaces.joined(separator: ", ") },
      ], empty: "There are no people.")
    if people.count == Self.page, let last = people.last {
      printing.output.note("There may be more: --after \(last.number)")
    }
  }
}
