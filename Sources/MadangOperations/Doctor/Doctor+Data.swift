import Foundation
import MadangCore
import MadangProviders

extension Doctor {
  /// Problems of the data directory and its disk.
  func dataFindings(_ settings: ServerSettings) -> [DoctorFinding] {
    let directory = settings.dataDirectory
    guard let owner = FileMode(directory)?.owner else {
      return [
        DoctorFinding(
          .dataDirectory, .error, "\(directory.path) does not exist",
          cure: "name the server's directory with --data or --config, as for 'madang serve'")
      ]
    }
    guard owner == geteuid() else {
      return [
        DoctorFinding(
          .dataDirectory, .error,
          "\(directory.path) belongs to user \(owner), and the doctor runs as user \(geteuid())",
          cure: "run the doctor as root, or as the server's user: sudo madang doctor ...")
      ]
    }
    return privacyFindings(settings) + diskFindings(directory) + logFindings(settings)
      + backupDirectoryFindings(settings)
  }

  private func backupDirectoryFindings(_ settings: ServerSettings) -> [DoctorFinding] {
    guard let problem = settings.backupPlace?.problem else { return [] }
    return [DoctorFinding(.backupDirectory, .error, problem.message, cure: problem.cure)]
  }

  private func privacyFindings(_ settings: ServerSettings) -> [DoctorFinding] {
    if let problem = settings.openDirectoryProblem { return [DoctorFinding(.dataPrivacy, problem)] }
    if let warning = settings.publicDatabaseWarning {
      return [DoctorFinding(.dataPrivacy, SetupError(warning.replacing(". Close it", with: "\nclose it")))]
    }
    let secrets = settings.secretsDirectory
    let names = (try? FileManager.default.contentsOfDirectory(atPath: secrets.path)) ?? []
    let open = ([secrets] + names.map { secrets.appending(path: $0) }).filter { FileMode($0)?.isOpenToAll ?? false }
    return open.prefix(1).map { file in
      DoctorFinding(
        .dataPrivacy, .error, "every user of this machine can read \(file.path)",
        cure:
          "chmod \(file == secrets ? "-R " : "")o= '\(file.path)'; if others could read it, create new API keys ('madang admin keys create') and "
          + "revoke these")
    }
  }

  func diskFindings(_ directory: URL) -> [DoctorFinding] {
    guard let disk = DiskFigures(directory) else { return [] }
    func finding(_ check: DoctorCheck, _ free: Double?, _ what: String, _ cure: String) -> DoctorFinding? {
      guard let free, free < Double(options.minFreePercent) else { return nil }
      let number = free.formatted(.number.precision(.fractionLength(1)))
      return DoctorFinding(
        check, free < 1 ? .error : .warning, "\(number) % of \(what) of \(directory.path) are free", cure: cure)
    }
    return [
      finding(
        .diskSpace, disk.freePercent, "the disk",
        "free some space or enlarge the disk: when it is full, people cannot post; 'madang admin stats' shows the size of files"
      ),
      finding(
        .diskInodes, disk.freeInodesPercent, "the inodes",
        "remove small files, or move the data to a file system with more inodes"),
    ].compactMap(\.self)
  }

  /// Twice the limit is more than a log that waits for a reader to end.
  private func logFindings(_ settings: ServerSettings) -> [DoctorFinding] {
    let log = settings.databaseLogFile
    guard settings.database.url == nil, let size = FileMode(log)?.size, size / 2 > settings.database.logLimit
    else { return [] }
    return [
      DoctorFinding(
        .writeAheadLog, .warning, "\(log.path) has \(size) bytes, database.log.limit is \(settings.database.logLimit)",
        cure:
          "end programs that keep the database open ('fuser \(settings.databaseFile.path)'), or restart the server"
      )
    ]
  }

  /// Problems of other files in the settings.
  func ownFileFindings(_ settings: ServerSettings) async -> [DoctorFinding] {
    var findings: [DoctorFinding] = []
    if settings.tls.hasFiles {
      findings += certificateFindings(settings.tls)
      findings += openFile(settings.tls.keyFile, .certificateKey, "and replace the certificate and its key")
    }
    let account = settings.providers.firebase.accountFile
    if !account.isEmpty {
      findings += openFile(account, .pushAccount, "and create a new key of the service account")
      if access(account, R_OK) != 0 {
        findings.append(
          DoctorFinding(
            .pushAccount, .error, "push.firebase.account: \(account) cannot be read",
            cure: "name the service account's JSON file, and let the server's user read it"))
      }
    }
    let key = settings.providers.applePush.keyFile
    if !key.isEmpty { findings += openFile(key, .pushAccount, "and create a new key at developer.apple.com") }
    let isFound = findings.contains { $0.check == .pushAccount && $0.severity == .error }
    if let finding = await providerFinding(settings), !(isFound && finding.check == .pushAccount) {
      findings.append(finding)
    }
    let audit = settings.auditSinks.file
    if !audit.isEmpty {
      let isThere = access(audit, F_OK) == 0
      let place = isThere ? audit : URL(filePath: audit).deletingLastPathComponent().path
      if access(place, W_OK) != 0 {
        findings.append(
          DoctorFinding(
            .auditFile, .error, "audit.file: \(audit) cannot be written", cure: "let the server's user write it"))
      }
    }
    return findings
  }

  /// Reads the providers' files as the server does at its start, without a call over the network.
  private func providerFinding(_ settings: ServerSettings) async -> DoctorFinding? {
    do { _ = try settings.providers.authorities() } catch { return DoctorFinding(.providers, error) }
    do {
      _ = try await settings.providers.pushSender(lifetime: settings.push.lifetime, logger: logger)
      return nil
    } catch let error as SetupError {
      return DoctorFinding(.pushAccount, error)
    } catch {
      return DoctorFinding(.pushAccount, .error, "\(error)", cure: "see docs/reference/providers.md")
    }
  }

  private func openFile(_ path: String, _ check: DoctorCheck, _ cure: String) -> [DoctorFinding] {
    guard FileMode(URL(filePath: path))?.isOpenToAll ?? false else { return [] }
    return [
      DoctorFinding(
        check, .error, "every user of this machine can read \(path)", cure: "chmod o= '\(path)', \(cure)")
    ]
  }

  /// Problems of the server's own certificate files.
  func certificateFindings(_ tls: TLSSettings) -> [DoctorFinding] {
    do {
      return Self.expiryFindings(try certificateEnd(tls), .certificate, tls.certificateFile)
    } catch {
      return [DoctorFinding(.certificate, .error, "\(error)", cure: "\(TLSSettings.fileCure) (docs/host.md)")]
    }
  }

  /// - Parameter place: The file or URL of the certificate.
  static func expiryFindings(_ end: Date, _ check: DoctorCheck, _ place: String) -> [DoctorFinding] {
    let days = Int(end.timeIntervalSinceNow / 86_400)
    guard end < Date(timeIntervalSinceNow: 14 * 86_400) else { return [] }
    let hasEnded = end < Date()
    return [
      DoctorFinding(
        check, hasEnded ? .error : .warning,
        "the certificate of \(place) \(hasEnded ? "has ended" : "ends in \(days) days"): \(end.ISO8601Format())",
        cure: "renew it; a server with tls.cert loads it by itself, nginx at 'systemctl reload nginx'")
    ]
  }
}
