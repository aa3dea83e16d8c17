import Foundation
import Testing

@testable import MadangCore

@Suite("Secrets in backups")
struct BackupSecretsTests {
  @Test("a directory in the secrets, such as acme, is not backed up; files are, also behind links")
  func directories() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-secrets-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let (secrets, backup) = (folder.appending(path: "secrets"), folder.appending(path: "backup"))
    for directory in [secrets.appending(path: "acme"), folder.appending(path: "mounted"), backup] {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }
    try Data("key".utf8).write(to: secrets.appending(path: "acme/chat.example.com.key"))
    try Data("one".utf8).write(to: secrets.appending(path: "api-key-2024-10"))
    try Data("two".utf8).write(to: folder.appending(path: "mounted/key"))
    for (name, target) in [("api-key-2024-01", "mounted/key"), ("linked", "mounted")] {
      try FileManager.default.createSymbolicLink(
        at: secrets.appending(path: name), withDestinationURL: folder.appending(path: target))
    }
    let kept = try Madang.copySecrets(secrets, to: backup)
    #expect(kept.map(\.name) == ["api-key-2024-01", "api-key-2024-10"])
    #expect(try String(contentsOf: backup.appending(path: "secrets/api-key-2024-01"), encoding: .utf8) == "two")
  }
}
