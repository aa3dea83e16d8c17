import ArgumentParser
import Foundation
import MadangOperations

struct AdminImport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Load the database of an export, or of a backup, into an empty one.",
    usage: "madang admin import <dir> [--older] [options]",
    discussion: """
      For moving to the other engine, and for a database that was lost while its files remained: files and secrets stay as \
      they are. Everything is loaded in one transaction. With --database-url, a madang.sqlite in the data directory is renamed, \
      so that no server continues with it. If madang.sqlite has rows that the export lacks, the import is refused.
      """)

  @OptionGroup var options: AdminOptions
  @Argument(help: "The export, or the backup.", completion: .directory) var directory: String

  @Flag(help: "Import it although the former database has newer rows, which are then missing.") var older = false

  func run() async throws {
    try await options.withSettings { settings, logger, output in
      let imported = try await ProgressLine.following {
        try await Administration.importDatabase(
          settings, from: URL(filePath: directory), allowsOlder: older, logger: logger, progress: $0)
      }
      try output.show(imported)
      if let aside = imported.aside {
        output.note("The former database is now \(aside). Pass --database-url to backups and other commands, too.")
      }
    }
  }
}
