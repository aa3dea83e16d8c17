import ArgumentParser
import Foundation
import Logging
import MadangCore
import MadangOperations
import MadangServer

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Find problems of an installation, with cures.",
    usage: """
      madang doctor [<url>] [--config <file>] [--data <dir>] [options]
      madang doctor <url> --outside [options]
      madang doctor --list [--json]
      """,
    discussion: """
      Inside, it checks settings, data and database, as 'madang admin' finds them: run it on the server's machine, as \
      root or as the server's user. Outside, it calls the URL as clients do, or public.url if none is given. With both it \
      also asks the server how the proxy changed its calls. It changes nothing and signs in no account.

      Exit status: 0 nothing is wrong, 1 warnings, 2 errors.
      """)

  @Argument(help: ArgumentHelp("How people reach the server, like https://chat.example.com.", valueName: "url"))
  var url: String?

  @OptionGroup var options: AdminOptions

  @Flag(help: "Check from outside only; this machine needs no data of the server.") var outside = false
  @Flag(help: "Check from inside only, even if public.url is set.") var inside = false
  @Flag(help: "Read the whole embedded database for damage, which takes long.") var deep = false
  @Flag(help: "Only list the checks.") var list = false
  @Option(help: ArgumentHelp("Percent of the disk that should be free, 0 to 100.", valueName: "percent"))
  var minFree = 5
  @Option(
    help: ArgumentHelp("How many days old the newest backup may be; 0 skips this check.", valueName: "days"))
  var backupDays = 2
  @Option(help: ArgumentHelp("How long each call may take, 1 to 60.", valueName: "seconds")) var timeout = 5
  @OptionGroup var trust: CAFileOption

  func validate() throws {
    if !(0...100).contains(minFree) { throw ValidationError("--min-free must be from 0 to 100.") }
    if !(0...36_500).contains(backupDays) { throw ValidationError("--backup-days must be from 0 to 36500.") }
    if !(1...60).contains(timeout) { throw ValidationError("--timeout must be from 1 to 60.") }
    if inside && (outside || url != nil) { throw ValidationError("--inside calls no <url>, and excludes --outside.") }
    if let url, !Doctor.takes(url) {
      throw ValidationError("'\(url)' is no URL of a server: write one like https://chat.example.com.")
    }
    if outside && url == nil { throw ValidationError("--outside needs the <url> to check.") }
  }

  func run() async throws {
    let output = options.printing.output
    if list {
      return try output.list(
        DoctorCheck.allCases.map(ListedCheck.init), [Column("CHECK", \.check), Column("LOOKS FOR", \.words)], empty: "")
    }
    let findings = await findings()
    for finding in findings { try output.show(finding) }
    guard let worst = findings.contains(where: { $0.severity == .error }) ? 2 : findings.isEmpty ? nil : 1 else {
      return output.note("Nothing is wrong.")
    }
    throw ExitCode(Int32(worst))
  }

  func findings() async -> [DoctorFinding] {
    var logger = Logger(label: "madang") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .critical
    let doctor = Doctor(doctorOptions, certificateEnd: { try $0.certificateEnd() }, logger: logger)
    if outside, let url { return await doctor.examine(url: url) }
    let variables = SettingNames.ignored(in: ProcessInfo.processInfo.environment.keys)
    var findings = DoctorFinding.ignored(SettingsSources(ignoredVariables: variables))
    do {
      let file = try options.file()
      findings += DoctorFinding.readableSettings([file].compactMap(\.self))
      let loaded = try await options.loaded(from: file)
      let settings = loaded.settings
      findings += DoctorFinding.readableSettings(loaded.secretFiles)
      findings += DoctorFinding.ignored(SettingsSources(ignoredNames: loaded.warnings))
      if geteuid() == 0, let owner = try DataOwner.become(of: settings.dataDirectory) {
        if let file, access(file, R_OK) != 0 {
          findings.append(
            DoctorFinding(
              .settings, .error, "the server's user \(owner.name) cannot read \(file)",
              cure: "chgrp \(owner.name) '\(file)' && chmod 640 '\(file)', and let that user enter its directory"))
        }
      }
      let place = url ?? (inside || settings.publicURL.isEmpty ? nil : settings.publicURL)
      findings += await doctor.examine(settings, url: place)
    } catch let failure as Failure {
      findings.append(
        DoctorFinding(.settings, .error, failure.message, cure: "run the doctor as root, or as the server's user"))
      if let url { findings += await doctor.examine(url: url) }
    } catch {
      findings += "\(error)".split(separator: "\n").map {
        DoctorFinding(.settings, .error, String($0), cure: "'madang serve --print-config' lists the settings")
      }
      if let url { findings += await doctor.examine(url: url) }
    }
    return findings
  }

  private var doctorOptions: Doctor.Options {
    var options = Doctor.Options()
    (options.minFreePercent, options.backupDays, options.isDeep) = (minFree, backupDays, deep)
    (options.patience, options.trustedRoots) = (.seconds(timeout), trust.path)
    return options
  }
}

private struct ListedCheck: Encodable {
  let check: String
  let words: String

  init(_ check: DoctorCheck) { (self.check, words) = (check.rawValue, check.words) }
}

extension Output {
  func show(_ finding: DoctorFinding) throws {
    if json { return try line(finding) }
    try Terminal.line("\(finding.severity.rawValue): \(finding.message) [\(finding.check.rawValue)]".printable)
    try Terminal.line("    \(finding.cure)".printable)
  }
}
