import Foundation
import Logging
import MadangOperations
import MadangServer
import NIOHTTP1
import Storage
import Support
import Testing

@testable import MadangCore

@Suite("Paths of stored files", .timeLimit(.minutes(5)))
struct StoredPathTests {
  @Test("a backup with a path outside the files' folders is refused")
  func backups() async throws {
    try await BackupScene.run(.sqlite) { scene in
      let (whole, export) = (
        URL(filePath: try await scene.backUp().path), scene.folder.appending(path: "export")
      )
      try await scene.export(scene.settings, to: export)
      var empty = scene.settings
      empty.dataDirectory = scene.folder.appending(path: "empty")
      if TestBucket.holdsAllFiles { empty.keepFilesInTestBucket() }
      for (table, column) in FileStore.pathColumns {
        for source in [whole, export] {
          let forged = scene.folder.appending(path: "\(table)-\(source == whole)")
          try FileManager.default.copyItem(at: source, to: forged)
          try BackupManifest.read(from: forged).forge(table, in: forged) { rows, columns in
            let index = try #require(columns.firstIndex(of: column))
            rows[0][index] = "profiles/../../../victim.png"
          }
          let words = "line 1 of \(forged.path)/tables/\(table).tsv names a file outside the folders of files"
          let found = try await scene.backupFindings(forged)
          #expect(found.count == 1 && found[0].contains(words), "\(found)")
          let refusal = await BackupScene.refusal {
            if source == whole {
              try await scene.restore(forged, to: empty)
            } else {
              try await scene.load(forged, into: empty)
            }
          }
          #expect(refusal.contains(words), "\(refusal)")
          #expect(!FileManager.default.fileExists(atPath: empty.dataDirectory.path))
        }
      }
    }
  }

  @Test("a row with a path outside the files' folders serves no file", arguments: TestEngine.available)
  func rows(_ engine: TestEngine) async throws {
    try await BackupScene.run(engine) { scene in
      let victim = scene.settings.dataDirectory.appending(path: "victim.png")
      try Data(Sample.png).write(to: victim)
      let path = "profiles/../../victim.png"
      try await scene.serve { world in
        let madang = world.server.madang
        _ = try await madang.database.write { transaction in
          try transaction.execute(
            """
            INSERT INTO files (path, media_type, size, sha256, uploader_id, created_at)
            VALUES (\(path), 'image/png', \(Sample.png.count), 'x', 1, 1)
            """)
        }
        let person = try await world.signUp("Reader")
        let answer = try await person.call(.GET, "/v1/static/profiles/..%2F..%2Fvictim.png")
        #expect(answer.status == 404 || answer.status == 400, "\(answer.status)")
        #expect(answer.body != Sample.png)
        let home = madang.files.home
        await #expect(throws: Failure.self) { _ = try await home.content(of: path, range: 0...1) }
        #expect(try await home.size(of: path) == nil)
        #expect(try await home.holdsAny(of: [path]) == false)
        await #expect(throws: Failure.self) { try await home.moveToTrash([path], day: "2026-11-23") }
      }
      let found = try await BackupScene.findings(scene.settings)
      #expect(found.contains("file \(path): files.path names it, but it is not the path of a stored file"), "\(found)")
      try await scene.serve { world in
        let madang = world.server.madang
        _ = try await madang.database.write {
          try $0.execute("INSERT INTO file_removals (path, due_at) VALUES (\(path), 0)")
        }
        try await madang.removeRetiredFiles()
        let left = try await madang.database.read { try $0.paths(among: [path]) }
        #expect(left.isEmpty)
      }
      #expect(try Data(contentsOf: victim) == Data(Sample.png))
      #expect(try await BackupScene.findings(scene.settings) == [])
    }
  }
}
