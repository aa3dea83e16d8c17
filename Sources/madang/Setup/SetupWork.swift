import Foundation
import MadangCore
import MadangDevelopment

/// Changes the machine by a plan, and keeps a record of each change.
struct SetupWork {
  static let service = "madang.service"
  static let backupTimer = "madang-backup.timer"
  static let backupService = "madang-backup.service"

  let machine: Machine
  let say: (String) -> Void

  /// Why the service does not run.
  struct NotServing: Error {
    let words: String
  }

  /// Applies the plan, as far as the machine differs from it.
  /// - Parameters:
  ///   - record: Of an earlier setup.
  ///   - roots: The roots of a private authority, which are copied for the server's user.
  /// - Returns: Whether anything was changed.
  /// - Throws: ``Failure`` if a file cannot be written; ``NotServing``.
  func apply(_ plan: SetupPlan, for name: String, record former: SetupRecord?, roots: Data?) throws -> Bool {
    let (user, settings) = (machine.serviceUser, machine.settingsFile)
    let bytes = FileManager.default.contents(atPath: settings)
    var record = former ?? SetupRecord(name: name, hadSettings: bytes != nil)
    record.name = name
    func save() throws { try SystemFile(path: machine.recordFile, reader: user).write(try record.bytes) }

    var isChanged = false
    if let roots, FileManager.default.contents(atPath: machine.authorityFile) != roots {
      try SystemFile(path: machine.authorityFile, reader: user).write(roots)
      if !record.made.contains(machine.authorityFile) { record.made.append(machine.authorityFile) }
      isChanged = true
    }
    if !plan.changes.isEmpty {
      if former == nil, let bytes { try SystemFile(path: machine.formerSettingsFile, reader: user).write(bytes) }
      for change in plan.changes { record.add(change) }
      // The record comes first: after a crash it knows what may have been written.
      try save()
      try SystemFile(path: settings, reader: user).write(try plan.file.bytes)
      say("Wrote \(settings)" + (bytes == nil ? "." : "; \(machine.formerSettingsFile) is the former one."))
      isChanged = true
    }
    if try makeBackupDirectory(for: user) {
      record.made.append(machine.backupDirectory)
      say("Made \(machine.backupDirectory).")
      isChanged = true
    }
    if try enable(Self.backupTimer, "--now", record: &record) { isChanged = true }
    let wasEnabled = try !enable(Self.service, record: &record)
    if isChanged || !wasEnabled || former == nil { try save() }
    let isActive = try machine.systemctl("is-active", "--quiet", Self.service).isSuccess
    if isChanged || !isActive { try restart() }
    return isChanged || !wasEnabled || !isActive
  }

  /// Starts the service again. Throws ``NotServing``.
  func restart() throws {
    say("Starting the server.")
    let outcome = try machine.systemctl("restart", Self.service)
    guard !outcome.isSuccess else { return }
    let log = try? machine.run(["journalctl", "--unit", Self.service, "--lines", "8", "--output", "cat", "--no-pager"])
    throw NotServing(words: (log?.isSuccess == true ? log?.text : nil) ?? outcome.text)
  }

  /// Makes the first backup, so that the next night is not the first test of it. Returns why it failed.
  func backUp() -> String? {
    guard let timer = try? machine.systemctl("cat", Self.backupService), timer.isSuccess else { return nil }
    let outcome = try? machine.systemctl("start", Self.backupService)
    guard outcome?.isSuccess != true else { return nil }
    return "the first backup failed: journalctl -u \(Self.backupService) says why"
  }

  /// Returns whether it had to be made.
  private func makeBackupDirectory(for user: String?) throws -> Bool {
    let path = machine.backupDirectory
    guard !FileManager.default.fileExists(atPath: path) else { return false }
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch { throw Failure("\(path) cannot be made: \(FileProblem.words(of: error))") }
    if let entry = user.flatMap({ getpwnam($0)?.pointee }), geteuid() == 0 {
      guard lchown(path, entry.pw_uid, entry.pw_gid) == 0 else {
        throw Failure("\(path) cannot be given to \(user ?? ""): \(String(cString: strerror(errno)))")
      }
    }
    return true
  }

  /// Enables a unit, if it exists and is not enabled. Returns whether it did.
  private func enable(_ unit: String, _ option: String..., record: inout SetupRecord) throws -> Bool {
    guard try machine.systemctl("cat", unit).isSuccess,
      try !machine.systemctl("is-enabled", "--quiet", unit).isSuccess
    else { return false }
    let outcome = try machine.run(["systemctl", "enable", "--quiet"] + option + [unit])
    guard outcome.isSuccess else { throw Failure("\(unit) cannot be enabled: \(outcome.text)") }
    if !record.enabled.contains(unit) { record.enabled.append(unit) }
    say("Enabled \(unit).")
    return true
  }
}
