import ArgumentParser
import Foundation
import MadangOperations

struct AdminBackup: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Back up database, files and secrets, while the server may run.",
    usage: "madang admin backup <dir> [--keep <count>] [--full-speed] [options]",
    discussion: """
      Creates <dir>/DATE completely or not at all. Files that are also in the previous backup are linked and take no room. \
      If files that the database names are missing or damaged, they are listed; the backup is still made, and the exit \
      status is 1. Protect backups: with one, anyone can read everything and act as the server.
      """)

  @OptionGroup var options: AdminOptions
  @Argument(help: "A directory for backups only.", completion: .directory) var directory: String
  @Option(help: ArgumentHelp("Keep this many backups, remove older ones.", valueName: "count")) var keep: Int?
  @Flag(help: "Do not pause between pieces: twice as fast, but people wait longer meanwhile.") var fullSpeed = false

  func validate() throws {
    if let keep, keep < 1 { throw ValidationError("--keep must be 1 or more.") }
  }

  func run() async throws {
    try await options.withData(writingTo: directory) { administration, output in
      let backup = try await ProgressLine.following {
        try await administration.backUp(to: URL(filePath: directory), keep: keep, atFullSpeed: fullSpeed, progress: $0)
      }
      for loss in backup.losses { Terminal.message("lost: \(loss)") }
      try output.show(backup)
      if !backup.losses.isEmpty {
        throw Failure(
          "the backup is made, but files that the database names are missing or damaged: \(backup.losses.count); check that "
            + "--data and --files are the server's, and that its disk is whole")
      }
    }
  }
}

extension Output {
  func show(_ backup: BackupSummary) throws {
    try object(
      backup,
      [
        ("backup", backup.path), ("rows", "\(backup.rows)"),
        ("files", "\(backup.files), \(backup.linked) of them as before"), ("bytes", "\(backup.bytes)"),
        ("lost", "\(backup.losses.count)"), ("removed", "\(backup.removed)"),
      ])
  }
}
