import Foundation
import MadangDevelopment

/// Takes back what setup made, except data and certificates.
struct SetupUndo {
  let machine: Machine
  let record: SetupRecord
  /// The settings file as it is now, and as it was before the first setup.
  private let now: SettingsFile
  private let former: SettingsFile
  private let formerBytes: Data?

  /// Nil if setup has changed nothing here. Throws ``Failure``.
  init?(_ machine: Machine) throws {
    guard let record = try SetupRecord(at: machine.recordFile) else { return nil }
    (self.machine, self.record) = (machine, record)
    now = try machine.readSettings(machine.settingsFile) ?? SettingsFile()
    former = try machine.readSettings(machine.formerSettingsFile) ?? SettingsFile()
    formerBytes = FileManager.default.contents(atPath: machine.formerSettingsFile)
  }

  /// The settings that the operator has changed since. They stay.
  var kept: [String] {
    record.written.keys.filter { !record.wrote($0, now[$0]) && now.text($0) != former.text($0) }.sorted()
  }

  /// The settings with what setup wrote taken back.
  var result: SettingsFile {
    var result = now
    for key in record.written.keys where !kept.contains(key) { result[key] = former[key] }
    return result
  }

  /// Whether the result says what the former file did; then its bytes come back.
  private var isFormer: Bool { result.settings == former.settings }

  /// What will be done, a line for each.
  var words: [String] {
    let settings = machine.settingsFile
    var words = [
      result.isEmpty && !record.hadSettings
        ? "remove \(settings)"
        : isFormer ? "put the former \(settings) back" : "take the settings of setup out of \(settings)"
    ]
    if !kept.isEmpty { words.append("keep what was changed since: \(kept.joined(separator: ", "))") }
    words += record.enabled.map { "disable \($0)" }
    words += record.made.map { $0 == machine.backupDirectory ? "remove \($0), if it has no backups" : "remove \($0)" }
    if !record.enabled.contains(SetupWork.service) { words.append("restart the server") }
    return words
  }

  /// - Throws: ``Failure``; ``SetupWork/NotServing`` if the server does not run with the former settings.
  func run(say: (String) -> Void) throws {
    let user = machine.serviceUser
    let file = SystemFile(path: machine.settingsFile, reader: user)
    if result.isEmpty, !record.hadSettings {
      unlink(machine.settingsFile)
    } else if isFormer, let formerBytes {
      try file.write(formerBytes)
    } else {
      try file.write(try result.bytes)
    }
    for unit in record.enabled {
      let outcome = try machine.systemctl("disable", "--quiet", "--now", unit)
      guard outcome.isSuccess else { throw Failure("\(unit) cannot be disabled: \(outcome.text)") }
    }
    for path in record.made {
      // Backups are data: a directory that has some stays.
      let isRemoved = path == machine.backupDirectory ? rmdir(path) == 0 : unlink(path) == 0
      if !isRemoved, errno != ENOENT { say("\(path) stays: \(String(cString: strerror(errno)))") }
    }
    if !record.enabled.contains(SetupWork.service) { try SetupWork(machine: machine, say: { _ in }).restart() }
    unlink(machine.recordFile)
    unlink(machine.formerSettingsFile)
  }
}

extension Machine {
  /// A settings file; nil if it does not exist. Throws ``Failure``.
  func readSettings(_ path: String) throws -> SettingsFile? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    guard let bytes = FileManager.default.contents(atPath: path) else {
      throw Failure("\(path) cannot be read: run this as root")
    }
    do { return try SettingsFile(bytes) } catch {
      throw Failure("\(path) is not a JSON object: correct it first; 'madang serve --print-config' names the place")
    }
  }
}
