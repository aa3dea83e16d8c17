import ArgumentParser
import MadangOperations

struct AdminWebList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the administrators of the console, the oldest first.",
    usage: "madang admin web list [options]")

  @OptionGroup var options: AdminOptions

  func run() async throws {
    try await options.withData { administration, output in
      try output.list(
        try await administration.administrators(),
        [
          Column("NAME", \.name), Column("NUMBER") { "\($0.number)" }, Column("SINCE") { LocalTime($0.createdAt).day },
          Column("LAST SIGN-IN") { "\(LocalTime($0.seenAt).day) \(LocalTime($0.seenAt).time)" },
          Column("FROM", \.address),
          Column("CODES LEFT") { "\($0.recoveryCodes)" },
        ], empty: "There are no administrators. 'madang admin web' prints a link that adds one.")
      for link in try await administration.administratorLinks() {
        let end = LocalTime(link.expiresAt)
        output.note("A link by \(link.by) is open until \(end.day) \(end.time).")
      }
    }
  }
}
