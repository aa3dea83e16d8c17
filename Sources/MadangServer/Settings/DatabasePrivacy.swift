import Foundation

extension ServerSettings {
  /// What to tell an operator whose embedded database every user of this machine can read; nil if that is not so. Versions
  /// before made such files where `madang admin` restored or imported.
  var publicDatabaseWarning: String? {
    guard databaseURL == nil else { return nil }
    func mode(_ url: URL) -> Int {
      (try? FileManager.default.attributesOfItem(atPath: url.path))?[.posixPermissions] as? Int ?? 0
    }
    // Through a directory that they cannot enter they reach no file.
    guard mode(databaseFile) & 0o007 != 0, mode(dataDirectory) & 0o001 != 0 else { return nil }
    return
      "every user of this machine can read \(databaseFile.path), with the key of all sessions in it. Close it with: "
      + "chmod -R go= '\(dataDirectory.path)'. If others could read it, also run 'madang admin sessions replace-key'"
  }
}
