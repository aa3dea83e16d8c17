import ArgumentParser
import Foundation
import MadangOperations

struct AdminRestore: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore a backup to an empty place.",
    usage: "madang admin restore <backup> [--skip-damaged] [--owner <user>] [options]",
    discussion: """
      <backup> is a backup, or a directory of backups, whose newest is restored. It is verified before anything is \
      written. The data directory (--data), the database and the files' location must be empty; the engine may be the other \
      one. An interrupted restore continues when it is run again; no server starts before it has ended. Root makes a data directory \
      that does not exist for --owner, else for the owner of the directory around it, else for the user madang.
      """)

  @OptionGroup var options: AdminOptions
  @Argument(help: "The backup.", completion: .directory) var backup: String
  @Flag(help: "Restore without files that are damaged or missing in the backup.") var skipDamaged = false

  @Option(help: ArgumentHelp("The user who will own a new data directory, if root restores.", valueName: "user"))
  var owner: String?

  func run() async throws {
    try await options.withSettings(makesData: true, for: owner) { settings, logger, output in
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
