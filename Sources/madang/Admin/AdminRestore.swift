import ArgumentParser
import Foundation
import MadangOperations

struct AdminRestore: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore a backup to an empty place.",
    usage: "madang admin restore <backup> [--skip-damaged] [options]",
    discussion: """
      <backup> is a backup, or a directory of backups, of which the newest is taken. It is verified before anything is \
      written. The data directory (--data), the database and the place of the files must be empty; the engine may be another \
      one. A restore that was interrupted goes on when it is run again; no server starts before it has ended.
      """)

  @OptionGroup var options: AdminOptions
  @Argument(help: "The backup.", completion: .directory) var backup: String
  @Flag(help: "Do without files that are damaged or missing in the backup.") var skipDamaged = false

  func run() async throws {
    try await options.withSettings { settings, logger, output in
      let restored = try await ProgressLine.following {
        try await Administration.restore(
          settings, from: URL(filePath: backup), skippingDamaged: skipDamaged, logger: logger, progress: $0)
      }
      try output.show(restored)
    }
  }
}

extension Output {
  func show(_ restored: RestoreSummary) throws {
    try object(
      restored,
      [
        ("backup", restored.path), ("of", restored.createdAt), ("rows", "\(restored.rows)"),
        ("files", "\(restored.files)"), ("left out", "\(restored.skipped)"),
      ])
  }
}
