import MadangCore

/// Names of settings that this version does not have.
package enum FormerSettings {
  /// Settings of earlier versions and their replacements.
  package static let cures = [
    "password.cost": "no longer a setting; use password.memory (KiB) and password.passes",
    "push.queue": "no longer a setting: chats wait in the database, at most push.lifetime seconds",
  ].merging(ignoredInFiles) { $1 }
  /// Settings of earlier versions that a server can ignore. They cause a warning, so that it still starts after an update.
  package static let ignoredInFiles = [
    "audit.syslog": "no longer a setting; audit.file has the entries, for what reads files into the system's log"
  ].merging(
    [
      "audit.waiting", "database.check", "database.lock.timeout", "limits.dead.token.refreshes",
      "limits.expired.refreshes", "limits.held", "limits.held.address", "limits.loop.refreshes", "log.buffer",
      "log.flush", "mail.parallel",
    ].map { ($0, "no longer a setting: its default always applies; leave it out") }
  ) { $1 }

  /// Why there is no setting with this name, and what to write instead.
  /// - Parameters:
  ///   - known: All names.
  ///   - cure: What to write instead, if it is known.
  package static func unknown(_ name: String, _ known: [String], _ cure: String? = nil) -> String {
    if let cure = cure ?? cures[name] { return cure }
    let guess = Spelling.nearest(to: name, among: known).map { "; did you mean \($0)?" } ?? ";"
    return "there is no such setting\(guess) 'madang serve --print-config' lists them"
  }
}
