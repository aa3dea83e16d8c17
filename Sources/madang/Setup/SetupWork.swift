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

  /// Applies the plan, as far as the machine differs from it. Until ``OpenSetupRecord/end()`` the record says that this is under way.
  /// - Parameters:
  ///   - record: Of an earlier setup.
  ///   - roots: The roots of a private authority, which are copied for the server's user.
  /// - Returns: Whether anything was changed, by this setup or by an earlier one that did not end.
  /// - Throws: ``Failure`` if a file cannot be written; ``NotServing``.
  func apply(_ plan: SetupPlan, for name: String, record former: SetupRecord?, roots: Data?) throws -> Bool {
    let (user, settings) = (machine.serviceUser, machine.settingsFile)
    let bytes = FileManager.default.contents(atPath: settings)
    var record = former ?? SetupRecord(name: name, hadSettings: bytes != nil)
    var isChanged = record.state == .begun
    /// Each step is recorded before it is done: after a crash the record has what may have been done.
    func begin(_ step: (inout SetupRecord) -> Void) throws {
      if former == nil, !isChanged, let bytes {
        try SystemFile(path: machine.formerSettingsFile, reader: user).write(bytes)
      }
      step(&record)
      record.name = name
      record.begin()
      try SystemFile(path: machine.recordFile, reader: user).write(try record.bytes)
      isChanged = true
    }

    if isChanged { say("The last setup did not end. This one does what was left.") }
    if let roots, FileManager.default.contents(atPath: machine.authorityFile) != roots {
      try begin { $0.add(made: machine.authorityFile) }
      try SystemFile(path: machine.authorityFile, reader: user).write(roots)
    }
    if !plan.changes.isEmpty {
      try begin { for change in plan.changes { $0.add(change) } }
      try SystemFile(path: settings, reader: user).write(try plan.file.bytes)
      say("Wrote \(settings)" + (bytes == nil ? "." : "; \(machine.formerSettingsFile) is the former one."))
    }
    if !FileManager.default.fileExists(atPath: machine.backupDirectory) {
      try begin { $0.add(made: machine.backupDirectory) }
      try makeBackupDirectory(for: user)
      say("Made \(machine.backupDirectory).")
    }
    for (unit, options) in [(Self.backupTimer, ["--now"]), (Self.service, [])] {
      guard try mustEnable(unit) else { continue }
      try begin { $0.add(enabled: unit) }
      let outcome = try machine.run(["systemctl", "enable", "--quiet"] + options + [unit])
      guard outcome.isSuccess else { throw Failure("\(unit) cannot be enabled: \(outcome.text)") }
      say("Enabled \(unit).")
    }
    if try !machine.systemctl("is-active", "--quiet", Self.service).isSuccess { try begin { _ in } }
    if isChanged { try restart() }
    return isChanged
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
    let log = try? machine.run(
      ["journalctl", "--unit", Self.backupService, "--lines", "4", "--output", "cat", "--no-pager"])
    let reason = log?.isSuccess == true ? log?.text ?? "" : ""
    return "the first backup failed, and so would those of every night:\n\(reason)\n"
      + "backups of another installation must be moved out of \(machine.backupDirectory)"
  }

  private func makeBackupDirectory(for user: String?) throws {
    let path = machine.backupDirectory
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch { throw Failure("\(path) cannot be made: \(FileProblem.words(of: error))") }
    if let entry = user.flatMap({ getpwnam($0)?.pointee }), geteuid() == 0 {
      guard lchown(path, entry.pw_uid, entry.pw_gid) == 0 else {
        throw Failure("\(path) cannot be given to \(user ?? ""): \(String(cString: strerror(errno)))")
      }
    }
  }

  /// Whether a unit exists and is not enabled.
  private func mustEnable(_ unit: String) throws -> Bool {
    try machine.systemctl("cat", unit).isSuccess && !machine.systemctl("is-enabled", "--quiet", unit).isSuccess
  }
}
