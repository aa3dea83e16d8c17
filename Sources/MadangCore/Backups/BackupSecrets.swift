import Foundation

// Backups include the first API keys in plain text, because the database has only their hashes.

extension Madang {
  /// Largest secret in a backup, in bytes.
  static let secretLimit = 1 << 20

  /// Copies the files of the secrets directory, if it exists. Directories in it, such as `acme`, hold copies of what the database has.
  static func copySecrets(_ secrets: URL, to folder: URL) throws -> [BackupManifest.Secret] {
    let target = folder.appending(path: "secrets")
    try makePrivateDirectory(target)
    var names: [String] = []
    if FileManager.default.fileExists(atPath: secrets.path) {
      do { names = try FileManager.default.contentsOfDirectory(atPath: secrets.path) } catch {
        throw BackupProblem("\(secrets.path) cannot be listed: \(error.localizedDescription)")
      }
    }
    // Orchestrators mount secrets as links.
    let sources = names.filter(isSecret).sorted().map { name in
      (name, secrets.appending(path: name).resolvingSymlinksInPath())
    }
    let kept = try sources.filter { !isDirectory($1) }.map { name, source in
      let digest = try OutputFile.copy(source, to: target.appending(path: name))
      guard digest.size <= secretLimit else {
        throw BackupProblem(
          "\(source.path) has more than \(secretLimit) bytes, so it is not a secret; move it out of this directory")
      }
      return BackupManifest.Secret(name: name, sha256: digest.hex)
    }
    try flushDirectory(target)
    return kept
  }

  /// Copies the secrets back. Existing secrets with the same content are left alone. Throws ``BackupProblem`` if an existing one differs.
  static func restoreSecrets(_ kept: [BackupManifest.Secret], from folder: URL, to secrets: URL) throws {
    guard !kept.isEmpty else { return }
    if !FileManager.default.fileExists(atPath: secrets.path) { try makePrivateDirectory(secrets) }
    for secret in kept {
      let target = secrets.appending(path: secret.name)
      if FileManager.default.fileExists(atPath: target.path) {
        guard try Digest(of: target.resolvingSymlinksInPath()).hex == secret.sha256 else {
          throw BackupProblem("\(target.path) differs from the secret in the backup; remove it to use the backup's")
        }
        continue
      }
      // If this is interrupted, the leading dot keeps the partial file from being read as a secret.
      let staged = secrets.appending(path: ".\(secret.name).restoring")
      try? FileManager.default.removeItem(at: staged)
      _ = try OutputFile.copy(folder.appending(path: "secrets/\(secret.name)"), to: staged)
      guard rename(staged.path, target.path) == 0 else { throw BackupProblem("renamed", staged.path) }
    }
    try flushDirectory(secrets)
  }

  private static func isDirectory(_ url: URL) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) && isDirectory.boolValue
  }

  /// Names with a leading dot are temporary files.
  static func isSecret(_ name: String) -> Bool { !name.isEmpty && !name.hasPrefix(".") && !name.contains("/") }
}
