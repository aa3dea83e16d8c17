import Foundation
import Logging
import MadangAPI
import MadangCore
import Storage

extension Doctor {
  /// What is wrong with the database and what it tells of, and what the server answers: nil if that is not known here.
  /// A PostgreSQL that does not answer is given `databasePatience` in all.
  func databaseFindings(_ settings: ServerSettings) async -> (findings: [DoctorFinding], probe: DoctorProbe?) {
    guard settings.database.url != nil else { return await examineDatabase(settings) }
    let limit = options.databasePatience
    return await within(limit) { await examineDatabase(settings) } ?? (
      [
        DoctorFinding(
          .database, .error, "PostgreSQL takes connections and does not answer within \(limit)",
          cure: "look at its log and at what it waits for (pg_stat_activity), and at the network between")
      ], nil
    )
  }

  /// Nil when the work takes longer. It then goes on by itself, as what waits for a database cannot be interrupted: the
  /// program ends soon, and it changes nothing.
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
        var findings: [DoctorFinding] = []
        do { try await madang.refuseForeignFiles(settings) } catch let error as SetupError {
          findings.append(DoctorFinding(.files, error))
        } catch {
          findings.append(
            DoctorFinding(
              .files, .error, "\(settings.filesPlace) cannot be read: \(error)",
              cure: "check that it is there and, of a bucket, that its endpoint and its credentials are right"))
        }
        findings += try await madang.filesOfRevokedKeys(in: settings.secretsDirectory).map { file in
          DoctorFinding(
            .revokedKeys, .warning, "\(file.path) holds an API key that was revoked: applications with it are refused",
            cure:
              "remove the file; 'madang admin keys list' shows the keys in use, and 'madang admin keys create' makes another"
          )
        }
        findings += try await backupFindings(madang)
        if let found = try await madang.futureChats() {
          findings.append(DoctorFinding(.futureChats, .warning, found.words, cure: FutureChats.cure))
        }
        if let mode = try await madang.readOnlyMode() {
          findings.append(
            DoctorFinding(
              .readOnlyMode, .warning,
              "read-only mode is on since \(WireDate.string(mode.since))"
                + (mode.reason.isEmpty ? "" : ": \(mode.reason)"),
              cure: "'madang admin read-only off' when the work is done: until then people can read, and write nothing")
          )
        }
        if settings.database.url != nil {
          findings += try await postgresFindings(madang, settings)
        } else {
          findings += try await fileFindings(madang, settings)
          if options.isDeep { findings += try await integrityFindings(madang, settings) }
        }
        let tokenKey = try await madang.knownTokenKey(given: settings.tokenKey)
        return (findings, tokenKey.map { DoctorProbe(secret: Array($0.utf8)) })
      }
    } catch let error as SetupError {
      return ([DoctorFinding(.database, error)], nil)
    } catch {
      let message = (error as? StorageError)?.message ?? "\(error)"
      return ([DoctorFinding(.database, .error, message, cure: "see the server's log")], nil)
    }
  }

  func backupFindings(_ madang: Madang) async throws -> [DoctorFinding] {
    guard options.backupDays > 0 else { return [] }
    let limit = madang.clock.now - Int64(options.backupDays) * 86_400_000
    // Who has just begun needs none yet; of earlier times nothing is known.
    guard let begun = try await madang.auditBegan(), begun < limit else { return [] }
    let last = try await madang.latestAudit(of: .backupMade)
    if let last, last >= limit { return [] }
    let words = last.map {
      "the newest backup that the audit log tells of is \((madang.clock.now - $0) / 86_400_000) days old"
    }
    return [
      DoctorFinding(
        .backup, .warning, words ?? "the audit log tells of no backup",
        cure:
          "have 'madang admin backup DIR --keep 14' run each day (docs/operate.md), or say with --backup-days how old one may be"
      )
    ]
  }

  /// Whether a server runs that has another file open.
  private func fileFindings(_ madang: Madang, _ settings: ServerSettings) async throws -> [DoctorFinding] {
    guard settings.isServed, try await madang.isCopiedFile() else { return [] }
    return [
      DoctorFinding(
        .databaseFile, .error, "the running server has another file open than \(settings.databaseFile.path)",
        cure:
          "stop the server; put the file back that was moved away, which has all that was acknowledged, or start with this one"
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
      ("synchronous_commit", "a crash may lose what people were told is posted"),
    ] where found[name] == "off" {
      findings.append(
        DoctorFinding(
          .databaseDurability, .error, "PostgreSQL: \(name) is off: \(what)",
          cure: "set \(name) = on (ALTER SYSTEM, ALTER DATABASE or ALTER ROLE, wherever it was set)"))
    }
    // Besides readers and writers: long work, locks, notifications, and an administrator.
    let needed = settings.databaseReaderCount + settings.database.writers + 4
    if let limit = found["max_connections"].flatMap({ Int($0) }),
      limit - (found["superuser_reserved_connections"].flatMap { Int($0) } ?? 0) < needed
    {
      findings.append(
        DoctorFinding(
          .databaseConnections, .error,
          "PostgreSQL: max_connections is \(limit), and each server may take \(needed) connections",
          cure:
            "raise max_connections, or set database.readers (now \(settings.databaseReaderCount)) or database.writers lower"
        ))
    }
    return findings
  }
}
