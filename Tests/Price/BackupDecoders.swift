import Foundation

@testable import MadangCore

extension Decoder {
  /// What a backup of unknown origin brings: its manifest, and the rows of its tables.
  static func ofBackups() throws -> [Decoder] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-price-backup")
    try FileManager.default.createDirectory(at: folder.appending(path: "tables"), withIntermediateDirectories: true)
    let table = BackupManifest.Table(
      name: "files",
      columns: [
        .init(name: "id", type: .integer), .init(name: "path", type: .text), .init(name: "size", type: .integer),
        .init(name: "sha256", type: .text),
      ],
      rows: 0, bytes: 0, sha256: "", lastNumber: nil)
    return [
      Decoder("backup-manifests", corpus: "manifests", Limits(work: 60_000, workPerByte: 100, memoryPerByte: 200)) {
        input in
        let manifest = try BackupManifest.decode(input.bytes, of: "manifest.json")
        _ = (manifest.rows, manifest.identity, manifest.version)
      },
      // Each piece of a file has a buffer of 256 KiB.
      Decoder(
        "backup-tables", corpus: "tables",
        Limits(work: 200_000, workPerByte: 100, memory: 2 << 20, memoryPerByte: 120)
      ) { input in
        try Data(input.bytes).write(to: folder.appending(path: table.path))
        let reader = try TableReader(table, in: folder)
        while try !reader.next(500).isEmpty {}
      },
    ]
  }
}
