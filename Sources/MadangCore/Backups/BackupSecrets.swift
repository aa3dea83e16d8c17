import Foundation

// The first API keys in plain text, which nobody can make of the hashes in the database.

extension Madang {
  /// Bytes of a secret in a backup.
  static let secretLimit = 1 << 20

  /// Copies the files of a directory of secrets, which need not be there.
  static func copySecrets(_ secrets: URL, to folder: URL) throws -> [BackupManifest.Secret] {
    let target = folder.appending(path: "secrets")
    try makePrivateDirectory(target)
    var names: [String] = []
    if FileManager.default.fileExists(atPath: secrets.path) {
      do { names = try FileManager.default.contentsOfDirectory(atPath: secrets.path) } catch {
        throw BackupProblem("\(secrets.path) cannot be listed: \(error.localizedDescription)")
      }
    }
    let kept = try names.filter(isSecret).sorted().map { name in
      // Ours may be links, as orchestrators mount secrets.
      let source = secrets.appending(path: name).resolvingSymlinksInPath()
      let digest = try OutputFile.copy(source, to: target.appending(path: name))
      guard digest.size <= secretLimit else {
        throw BackupProblem("\(source.path) has more than \(secretLimit) bytes, so it is no secret; move it elsewhere")
      }
      return BackupManifest.Secret(name: name, sha256: digest.hex)
    }
    try flushDirectory(target)
    return kept
  }

  /// Copies them back. Those that are there are left if they are the same. Throws ``BackupProblem`` if they are others.
  static func restoreSecrets(_ kept: [BackupManifest.Secret], from folder: URL, to secrets: URL) throws {
    guard !kept.isEmpty else { return }
    if !FileManager.default.fileExists(atPath: secrets.path) { try makePrivateDirectory(secrets) }
    for secret in kept {
      let target = secrets.appending(path: secret.name)
      if FileManager.default.fileExists(atPath: target.path) {
        guard try Digest(of: target.resolvingSymlinksInPath()).hex == secret.sha256 else {
          throw BackupProblem("\(target.path) is another secret than that of the backup; remove it to use the backup's")
        }
        continue
      }
      // A name that starts with a dot is not taken for a secret if this is cut off.
      let staged = secrets.appending(path: ".\(secret.name).restoring")
      try? FileManager.default.removeItem(at: staged)
      _ = try OutputFile.copy(folder.appending(path: "secrets/\(secret.name)"), to: staged)
      guard rename(staged.path, target.path) == 0 else { throw BackupProblem("renamed", staged.path) }
    }
    try flushDirectory(secrets)
  }

  /// Names with a dot in front are of files that are being made.
  static func isSecret(_ name: String) -> Bool { !name.isEmpty && !name.hasPrefix(".") && !name.contains("/") }
}
