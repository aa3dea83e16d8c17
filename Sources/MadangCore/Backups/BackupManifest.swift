import Crypto
import Foundation
import Storage

/// The content list of a backup, stored in `manifest.json`. Its own SHA-256 is beside it, in the format of `sha256sum -c`.
package struct BackupManifest: Codable, Sendable {
  static let currentFormat = 1

  struct Migration: Codable, Sendable, Equatable {
    let version: Int
    let name: String
    let checksum: String
  }

  struct Column: Codable, Sendable, Equatable {
    enum Kind: String, Codable { case integer, text }
    let name: String
    let type: Kind
  }

  struct Table: Codable, Sendable {
    let name: String
    let columns: [Column]
    let rows: Int
    let bytes: Int
    let sha256: String
    /// The highest number that the engine has given to a row; nil if it does not count the table's rows. The next row gets a higher one.
    let lastNumber: Int64?

    /// Relative to the folder of the backup.
    var path: String { "tables/\(name).tsv" }
  }

  struct Files: Codable, Sendable {
    let count: Int
    let bytes: Int
    /// Paths of files that rows name and that could not be read.
    let absent: [String]
  }

  struct Secret: Codable, Sendable {
    let name: String
    let sha256: String
  }

  let format: Int
  /// Milliseconds since 1970 UTC.
  package let createdAt: Int64
  package let installation: String?
  let engine: String
  let migrations: [Migration]
  /// Ordered so that each table comes after the tables it refers to.
  let tables: [Table]
  /// Nil in an export, which contains the database only.
  let files: Files?
  let secrets: [Secret]

  func with(files: Files, secrets: [Secret]) -> BackupManifest {
    BackupManifest(
      format: format, createdAt: createdAt, installation: installation, engine: engine, migrations: migrations,
      tables: tables, files: files, secrets: secrets)
  }

  package var version: Int { migrations.last?.version ?? 0 }
  /// Identifies this backup among all backups.
  package var identity: String { "\(installation ?? "-") \(createdAt)" }
  package var holdsFiles: Bool { files != nil }
  package var fileCount: Int { files?.count ?? 0 }
  /// Bytes of tables and files.
  package var bytes: Int { tables.reduce(0) { $0 + $1.bytes } + (files?.bytes ?? 0) }
  /// Paths of files that rows name and that could not be read; the first 100.
  package var absentFiles: [String] { Array((files?.absent ?? []).prefix(100)) }
  package var rows: Int { tables.reduce(0) { $0 + $1.rows } }
}

extension BackupManifest {
  private static let name = "manifest.json"
  /// Largest manifest, in bytes. The manifest has a line for each file that was removed during the backup.
  private static let limit = 64 << 20

  static func isThere(in folder: URL) -> Bool {
    FileManager.default.fileExists(atPath: folder.appending(path: name).path)
  }

  /// Throws ``BackupProblem`` if the manifest cannot be written, or is longer than `limit` and could not be read again.
  func write(to folder: URL, limit: Int = limit) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let bytes = Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    guard bytes.count <= limit else {
      throw BackupProblem(
        "\(files?.absent.count ?? 0) files were removed while the backup was made, too many to list in it; make another "
          + "backup")
    }
    for (name, bytes) in [
      (Self.name, bytes), ("\(Self.name).sha256", Array("\(SHA256.hash(data: bytes).hex)  \(Self.name)\n".utf8)),
    ] {
      var file = try OutputFile(folder.appending(path: name))
      try file.write(bytes)
      _ = try file.finish()
    }
  }

  /// Throws ``BackupProblem`` if the manifest is missing, damaged, or of a format that this version does not know.
  package static func read(from folder: URL) throws -> BackupManifest {
    let file = folder.appending(path: name)
    guard let bytes = try? InputFile.contents(of: file, limit: limit) else {
      throw BackupProblem("\(folder.path) is not a backup: it has no readable \(name)")
    }
    let sum = (try? InputFile.contents(of: folder.appending(path: "\(name).sha256"), limit: 4096))
      .map { String(decoding: $0, as: UTF8.self) }
    guard sum?.prefix(while: { !$0.isWhitespace }) == SHA256.hash(data: bytes).hex[...] else {
      throw BackupProblem("\(file.path) is damaged: it does not match \(name).sha256; use another backup")
    }
    return try decode(Array(bytes), of: file.path)
  }

  /// Decodes a manifest from an untrusted source. Throws ``BackupProblem``.
  /// - Parameter path: The manifest's file, as shown to operators.
  static func decode(_ bytes: [UInt8], of path: String) throws -> BackupManifest {
    struct Format: Decodable { let format: Int }
    guard ManifestText.isSafe(bytes) else { throw BackupProblem("\(path) is not the manifest of a backup") }
    do {
      let format = try JSONDecoder().decode(Format.self, from: Data(bytes)).format
      guard format == currentFormat else {
        throw BackupProblem("\(path) is of format \(format), which this program does not know; use a newer madang")
      }
      let manifest = try JSONDecoder().decode(BackupManifest.self, from: Data(bytes))
      if let mistake = manifest.mistake { throw BackupProblem("\(path) is not the manifest of a backup: \(mistake)") }
      return manifest
    } catch is DecodingError {
      throw BackupProblem("\(path) is not the manifest of a backup")
    }
  }
}

extension BackupManifest {
  /// Milliseconds since 1970, to the end of the year 9999.
  private static let dates: ClosedRange<Int64> = 0...253_402_300_799_999

  /// Describes a number or table name that no valid backup has. A manifest is untrusted, and its values are used in calculations and paths.
  private var mistake: String? {
    guard Self.dates.contains(createdAt) else { return "the date \(createdAt)" }
    guard (files?.count ?? 0) >= 0, (files?.bytes ?? 0) >= 0 else { return "the files" }
    var total = 0
    for table in tables {
      // The name becomes part of a path.
      guard !table.name.isEmpty, table.name.utf8.allSatisfy({ (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") })
      else { return "a table's name" }
      // Each row ends with a newline, so it has at least one byte.
      guard table.rows >= 0, table.bytes >= table.rows, TableReader.numbers.contains(table.lastNumber ?? 0) else {
        return "the numbers of the table \(table.name)"
      }
      let isBeyond: Bool
      (total, isBeyond) = total.addingReportingOverflow(table.bytes)
      guard !isBeyond else { return "the numbers of its tables" }
    }
    return nil
  }
}

extension BackupManifest.Column {
  init(_ column: Schema.Column) {
    self.init(name: column.name, type: column.type == .integer ? .integer : .text)
  }
}
