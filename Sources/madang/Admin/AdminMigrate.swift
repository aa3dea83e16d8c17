import ArgumentParser
import MadangOperations

struct AdminMigrate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Bring the database up to this program's version, as 'serve' does when it starts.",
    usage: "madang admin migrate [options]",
    discussion: """
      Servers of an older version may continue if the update only adds tables or columns; otherwise it is refused until \
      they have been stopped.
      """)

  @OptionGroup var options: AdminOptions

  func run() async throws {
    try await options.withSettings { settings, logger, output in
      let versions = try await Administration.migrate(settings, logger: logger)
      try output.object(versions, [("before", "version \(versions.before)"), ("now", "version \(versions.version)")])
    }
  }
}
