import Foundation
import Logging
import MadangAPI
import MadangCore
import Storage

extension Doctor {
  /// Problems of the database and of its data, and the server's secret for the probe: nil if unknown. All questions to a
  /// silent PostgreSQL together take at most `databasePatience`.
  func databaseFindings(_ settings: ServerSettings) async -> (findings: [DoctorFinding], probe: DoctorProbe?) {
    guard settings.database.url != nil else { return await examineDatabase(settings) }
    let limit = options.databasePatience
    return await within(limit) { await examineDatabase(settings) } ?? (
      [
        DoctorFinding(
          .database, .error, "PostgreSQL accepts connections but does not answer within \(limit)",
          cure: "check its log, what it waits for (pg_stat_activity), and the network to it")
      ], nil
    )
  }

  /// Nil if the work takes longer. It then continues, because waiting for a database cannot be interrupted; the program
  /// ends soon, and the work changes nothing.
  private func within<Result: Sendable>(_ limit: Duration, _ work: @escaping @Sendable () async -> Result) async
    -> Result?
  {
    let (results, feed) = AsyncStream<Result?>.makeStream(bufferingPolicy: .bufferingOldest(1))
    let timer = Task {
      try? await Task.sleep(for: limit)
      feed.yield(nil)
    }
    defer { timer.cancel() }
    Task { feed.yield(await work()) }
    for await result in results { return result }
    return nil
  }

  private func examineDatabase(_ settings: ServerSettings) async -> (findings: [DoctorFinding], probe: DoctorProbe?) {
    do {
      return try await Administration.run(settings, logger: logger) { administration in
        let madang = administration.madang
        let tokenKey = try await madang.knownTokenKey(given: settings.tokenKey)
        return (try await findings(in: madang, settings), tokenKey.map { DoctorProbe(secret: Array($0.utf8)) })
      }
    } catch {
      return ([Self.finding(error)], nil)
    }
  }

  /// The findings of `work`, or why it failed.
  func explaining(_ work: () async throws -> [DoctorFinding]) async -> [DoctorFinding] {
    do { return try await work() } catch { return [Self.finding(error)] }
  }

  private static func finding(_ error: any Error) -> DoctorFinding {
    if let error = error as? SetupError { return DoctorFinding(.database, error) }
    let message = (error as? StorageError)?.message ?? "\(error)"
    return DoctorFinding(.database, .error, message, cure: "see the server's log")
  }

  /// Problems of a database that is open.
  func findings(in madang: Madang, _ settings: ServerSettings) async throws -> [DoctorFinding] {
    var findings: [DoctorFinding] = []
    do { try await madang.refuseForeignFiles(settings) } catch let error as SetupError {
      findings.append(DoctorFinding(.files, error))
    } catch {
      findings.append(
        DoctorFinding(
          .files, .error, "\(settings.filesPlace) cannot be read: \(error)",
          cure: "check that it exists; for a bucket, check endpoint and credentials"))
    }
    findings += try await madang.filesOfRevokedKeys(in: settings.secretsDirectory).map { file in
      DoctorFinding(
        .revokedKeys, .warning,
        "\(file.path) has an API key that was revoked: applications that send it are refused",
        cure:
          "remove the file; 'madang admin keys list' shows the valid keys, and 'madang admin keys create' creates another"
      )
    }
    findings += try await orderedCertificateFindings(madang, settings)
    findings += try await backupFindings(madang, settings)
    findings += try await mailQueueFindings(madang)
    if let found = try await madang.futureChats() {
      findings.append(DoctorFinding(.futureChats, .warning, found.words, cure: FutureChats.cure))
    }
    if let mode = try await madang.readOnlyMode() {
      findings.append(
        DoctorFinding(
          .readOnlyMode, .warning,
          "read-only mode has been on since \(WireDate.string(mode.since))"
            + (mode.reason.isEmpty ? "" : ": \(mode.reason)"),
          cure: "run 'madang admin read-only off' when your work is done: until then people can read but not write")
      )
    }
    if settings.database.url != nil {
      findings += try await postgresFindings(madang, settings)
    } else {
      findings += try await fileFindings(madang, settings)
      if options.isDeep { findings += try await integrityFindings(madang, settings) }
    }
    return findings
  }

  func backupFindings(_ madang: Madang, _ settings: ServerSettings) async throws -> [DoctorFinding] {
    guard options.backupDays > 0 else { return [] }
    let limit = madang.clock.now - Int64(options.backupDays) * 86_400_000
    let last = try await madang.latestAudit(of: .backupMade)
    // Without accounts there is nothing to lose.
    if let last, last >= limit { return copyFindings(settings, limit) }
    if last == nil, try await !madang.hasAccount() { return [] }
    let words = last.map {
      "the newest backup in the audit log is \((madang.clock.now - $0) / 86_400_000) days old"
    }
    return [
      DoctorFinding(
        .backup, .warning, words ?? "no backup was ever made",
        cure:
          "run 'madang admin backup DIR --keep 14' each day (docs/operate.md), or allow older backups with --backup-days"
      )
    ]
  }

  /// Whether the newest complete copy off this machine is older than `limit`. The package's madang-restic.service dates a file by it.
  private func copyFindings(_ settings: ServerSettings, _ limit: Int64) -> [DoctorFinding] {
    let file = settings.dataDirectory.appending(path: "backup-copied").path
    let date = (try? FileManager.default.attributesOfItem(atPath: file))?[.modificationDate] as? Date
    guard let date, date.timeIntervalSince1970 * 1000 < Double(limit) else { return [] }
    return [
      DoctorFinding(
        .backup, .warning,
        "since \(WireDate.string(Int64(date.timeIntervalSince1970 * 1000))) no complete copy of the backups has left this machine",
        cure:
          "'journalctl -u madang-restic' shows why; if backups are copied in another way now, disable madang-restic.service and "
          + "remove \(file)")
    ]
  }

  /// For how long mails fail until this is an error, in milliseconds.
  private static let mailPatience: Int64 = 3_600_000

  private func mailQueueFindings(_ madang: Madang) async throws -> [DoctorFinding] {
    guard let failing = try await madang.failingMails() else { return [] }
    let isLong = madang.clock.now - failing.since > Self.mailPatience
    return [
      DoctorFinding(
        .mailQueue, isLong ? .error : .warning,
        "\(failing.count) \(failing.count == 1 ? "mail waits" : "mails wait"), the oldest since "
          + "\(WireDate.string(failing.since)): the mail server does not accept it: \(failing.reason)",
        cure:
          "check mail.* and the mail server; 'madang admin mails' shows the mails, which are sent as soon as it works")
    ]
  }

  /// Whether the running server has another file open.
  private func fileFindings(_ madang: Madang, _ settings: ServerSettings) async throws -> [DoctorFinding] {
    guard settings.isServed, try await madang.isCopiedFile() else { return [] }
    return [
      DoctorFinding(
        .databaseFile, .error, "the running server uses another file than \(settings.databaseFile.path)",
        cure:
          "stop the server; move the former file back, which has all confirmed changes, or start with this one"
      )
    ]
  }

  private func integrityFindings(_ madang: Madang, _ settings: ServerSettings) async throws -> [DoctorFinding] {
    guard let damage = try await madang.damage() else { return [] }
    return [
      DoctorFinding(
        .databaseIntegrity, .error, "\(settings.databaseFile.path) is damaged: \(damage)",
        cure: "stop the server, keep a copy, and restore the newest backup: 'madang admin restore' (docs/operate.md)")
    ]
  }

  private func postgresFindings(_ madang: Madang, _ settings: ServerSettings) async throws -> [DoctorFinding] {
    let found = try await madang.databaseSettings()
    var findings: [DoctorFinding] = []
    for (name, what) in [
      ("fsync", "a crash of the machine may destroy the database"),
      ("full_page_writes", "a crash of the machine may destroy the database"),
      ("synchronous_commit", "a crash may lose chats that were confirmed as posted"),
    ] where found[name] == "off" {
      findings.append(
        DoctorFinding(
          .databaseDurability, .error, "PostgreSQL: \(name) is off: \(what)",
          cure: "set \(name) = on with ALTER SYSTEM, ALTER DATABASE or ALTER ROLE, where it was set to off"))
    }
    // In addition to readers and writers: long work, locks, notifications, and an administrator.
    let needed = settings.databaseReaderCount + settings.database.writers + 4
    if let limit = found["max_connections"].flatMap({ Int($0) }),
      limit - (found["superuser_reserved_connections"].flatMap { Int($0) } ?? 0) < needed
    {
      findings.append(
        DoctorFinding(
          .databaseConnections, .error,
          "PostgreSQL: max_connections is \(limit), and each server may take \(needed) connections",
          cure:
            "raise max_connections, or lower database.readers (now \(settings.databaseReaderCount)) or database.writers"
        ))
    }
    return findings
  }
}
