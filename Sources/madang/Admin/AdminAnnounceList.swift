import ArgumentParser
import MadangOperations

struct AdminAnnounceList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List announcements of the last 90 days and their progress, the oldest first.",
    usage: "madang admin announce list [options]")

  @OptionGroup var options: AdminOptions
  @OptionGroup var page: PageOptions

  func run() async throws {
    try await options.withData { administration, output in
      let announcements = try await administration.announcements(after: page.after, limit: page.limit)
      try output.list(
        announcements,
        [
          Column("NUMBER") { "\($0.number)" }, Column("SINCE") { LocalTime($0.createdAt).day }, Column("FROM", \.from),
          Column("STATE", \.state), Column("TEXT", \.content),
        ], empty: "There are no announcements.")
      page.note(announcements.count, last: announcements.last?.number, output)
    }
  }
}
