import Foundation
import MadangAPI
import MadangCore

/// A backup, as its manifest describes it.
public struct ListedBackupSummary: Encodable, Sendable {
  public let path: String
  public let createdAt: String
  public let rows: Int
  public let files: Int
  /// Of the database's tables and the files.
  public let bytes: Int
  /// Paths of files that could not be read, the first 100; or why the manifest cannot be read.
  public let losses: [String]

  init(_ backup: ListedBackup) {
    path = backup.folder.path
    createdAt = backup.manifest.map { WireDate.string($0.createdAt) } ?? backup.date
    rows = backup.manifest?.rows ?? 0
    files = backup.manifest?.fileCount ?? 0
    bytes = backup.manifest?.bytes ?? 0
    losses = backup.manifest?.absentFiles ?? [backup.problem].compactMap(\.self)
  }
}

extension Administration {
  /// The newest backups in a directory of backups, the newest first; none if it does not exist. Their files are not checked.
  public static func backups(in directory: URL, limit: Int = 100) async throws -> [ListedBackupSummary] {
    try await wording { try await BackupFolder.newest(limit, in: directory).map(ListedBackupSummary.init) }
  }
}
