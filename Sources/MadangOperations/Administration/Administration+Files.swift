import Foundation
import MadangCore

/// The stored files, and the room that they and the database take.
public struct FilesSummary: Encodable, Sendable {
  public struct Disk: Encodable, Sendable {
    /// Bytes.
    public let size: Int
    public let free: Int
  }

  public struct Trash: Encodable, Sendable {
    public let files: Int
    public let bytes: Int
    /// How many days files stay there.
    public let days: Int
  }

  public struct Workspace: Encodable, Sendable {
    public let number: Int64
    public let name: String
    public let fileBytes: Int
    /// The effective quota; 0 for none.
    public let limit: Int
  }

  public struct Account: Encodable, Sendable {
    public let number: Int64
    public let nickname: String
    public let email: String
    public let fileBytes: Int
    /// The effective quota; 0 for none.
    public let limit: Int
  }

  /// The disk of the data directory.
  public let disk: Disk
  /// The directory or the bucket of the files.
  public let place: String
  public let files: Int
  /// The bytes that files take on this disk: 0 if they are in a bucket.
  public let fileBytes: Int
  public let trash: Trash
  /// Bytes of the database, which may be on another machine.
  public let database: Int
  /// Bytes of an embedded database's write-ahead log.
  public let log: Int
  /// The ten with most bytes of files in their chats.
  public let workspaces: [Workspace]
  /// The ten that sent most bytes of files.
  public let accounts: [Account]
}

extension Administration {
  /// Adds up the files and the room on disk. Reads all rows of files, in pages.
  public func files() async throws -> FilesSummary {
    guard let disk = DiskFigures(settings.dataDirectory) else {
      throw AdministrationError(description: "the disk of \(settings.dataDirectory.path) cannot be examined")
    }
    let (totals, trash, isEmbedded) = (
      try await madang.fileTotals(), try await madang.trash(), settings.database.url == nil
    )
    return FilesSummary(
      disk: .init(size: disk.size, free: disk.free), place: settings.filesPlace, files: totals.files,
      fileBytes: settings.filesHome.isEmpty ? totals.bytes : 0,
      trash: .init(files: trash.files, bytes: trash.bytes, days: madang.settings.files.trashDays),
      database: isEmbedded ? FileMode(settings.databaseFile)?.size ?? 0 : try await madang.databaseSize(),
      log: isEmbedded ? FileMode(settings.databaseLogFile)?.size ?? 0 : 0,
      workspaces: totals.workspaces.map {
        .init(number: $0.number, name: $0.name, fileBytes: $0.bytes, limit: $0.limit)
      },
      accounts: totals.accounts.map {
        .init(number: $0.number, nickname: $0.name, email: $0.email ?? "", fileBytes: $0.bytes, limit: $0.limit)
      })
  }
}
