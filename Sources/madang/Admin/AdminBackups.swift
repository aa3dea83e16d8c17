import ArgumentParser
import Foundation
import MadangOperations

struct AdminBackups: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backups", abstract: "List the newest backups in a directory, the newest first.",
    usage: "madang admin backups <dir> [options]",
    discussion: "At most 100. It reads their manifests only; 'madang admin check --backup' checks one.")

  @OptionGroup var printing: JSONOption
  @Argument(help: "A directory of backups.", completion: .directory) var directory: String

  func run() async throws {
    let backups: [ListedBackupSummary]
    do { backups = try await Administration.backups(in: URL(filePath: directory)) } catch let error
      as AdministrationError
    {
      throw Failure(error.description)
    }
    try printing.output.list(
      backups,
      [
        Column("PATH", \.path), Column("ROWS") { "\($0.rows)" }, Column("FILES") { "\($0.files)" },
        Column("BYTES") { "\($0.bytes)" }, Column("LOST") { $0.losses.first ?? "" },
        Column("MADE") { "\(LocalTime($0.createdAt).day) \(LocalTime($0.createdAt).time)" },
      ], empty: "There are no backups.")
  }
}
