import ArgumentParser
import Foundation
import MadangOperations

struct AdminExport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write the database without files to a directory, to move it to the other engine.",
    usage: "madang admin export <dir> [options]",
    discussion: """
      Files and secrets stay where they are. Stop the server first: the export lacks later changes. \
      'madang admin import' reads it. From SQLite to PostgreSQL, it refuses an export that lacks rows of madang.sqlite.
      """)

  @OptionGroup var options: AdminOptions
  @Argument(help: "A directory that is empty or does not exist yet.", completion: .directory) var directory: String

  func run() async throws {
    try await options.withData(writingTo: directory) { administration, output in
      let export = try await ProgressLine.following {
        try await administration.export(to: URL(filePath: directory), progress: $0)
      }
      try output.show(export)
      if try await administration.isServed() {
        output.note(
          "Warning: a server runs on this database. The export lacks changes from now on: stop the server, and export "
            + "again before you import it.")
      }
    }
  }
}
