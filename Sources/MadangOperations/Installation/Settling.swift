import Foundation
import Logging
import MadangAPI
import MadangCore
import MadangProviders
import Storage

extension Madang {
  /// Agrees with the other servers of the database on the installation, the key that signs access tokens and the first API
  /// keys. Returns the domain with them. Closes the database if it throws.
  package func settled(_ settings: ServerSettings, _ secrets: Secrets) async throws -> (
    madang: Madang, tokenKey: [UInt8]
  ) {
    do {
      try await files.prepare()
      try await join(settings)
      if !settings.isDevelopment { try await settleDatabaseFile() }
      let tokenKey = Array(try await tokenKey(settings, secrets).utf8)
      if settings.keys.isEmpty {
        for edition in EditionName.allCases { try await settleAPIKey(edition, secrets) }
      }
      let madang = with {
        $0.decoyKey = Secrets.key(for: "decoy passwords", from: tokenKey)
        $0.placeKey = Secrets.key(for: "sign-in places", from: tokenKey)
        if !settings.tokenKey.isEmpty {
          $0.stepKey = Secrets.key(for: "second steps", from: tokenKey)
          $0.certificateKey = Secrets.key(for: "certificates", from: tokenKey)
        }
      }
      return (madang, tokenKey)
    } catch {
      await database.close()
      throw error
    }
  }

  /// Migrates the database's tables, unless the database belongs to another installation than the files, which is left
  /// unchanged. Throws ``SetupError``.
  /// - Parameter filesMayBeAbsent: Whether the settings may lack the files.
  package func migrateOwnDatabase(_ settings: ServerSettings, filesMayBeAbsent: Bool = false) async throws {
    try await wordingForeignFiles(settings) { try await refuseForeignFiles(mayBeAbsent: filesMayBeAbsent) }
    try await migrate()
  }

  /// Refuses files that belong to another database: housekeeping would take them for leftovers of a crash.
  private func join(_ settings: ServerSettings) async throws {
    let isNew = try await wordingForeignFiles(settings) {
      try await joinInstallation(mayBeOneOfSeveral: settings.database.url != nil)
    }
    guard isNew && !settings.isDevelopment else { return }
    logger.warning(
      """
      new installation ID in \(settings.filesPlace), with new API keys; if there was an installation before, stop and check --data\
      \(settings.database.url == nil ? "" : " and --database-url")
      """)
  }

  /// Throws ``SetupError`` if files and database do not belong together; changes neither.
  func refuseForeignFiles(_ settings: ServerSettings) async throws {
    try await wordingForeignFiles(settings) { try await refuseForeignFiles(mayBeAbsent: false) }
  }

  private func wordingForeignFiles<Success>(
    _ settings: ServerSettings, _ body: () async throws -> Success
  ) async throws -> Success {
    do { return try await body() } catch let error as ForeignFiles {
      throw SetupError("\(error); no upload was touched.\n\(error.kind.cure(settings))")
    }
  }

  private func tokenKey(_ settings: ServerSettings, _ secrets: Secrets) async throws -> String {
    let given = settings.tokenKey.isEmpty ? nil : settings.tokenKey
    do {
      let key = try await settleTokenKey(given: given, existing: secrets.formerTokenKeyToKeep)
      if try secrets.formerTokenKey() != nil {
        let place = given == nil ? "in the database" : "a setting"
        logger.notice(
          """
          \(secrets.tokenKeyFile.path) is no longer read: the key of access tokens is now \(place). Remove the file once no older \
          version runs on this directory
          """)
      }
      return key
    } catch let error as TokenKeyConflict {
      throw SetupError(
        """
        \(error).
        Give all servers of the database the same tokens.key (MADANG_TOKENS_KEY). To change to another key, or to none, stop \
        them all, run 'madang admin sessions replace-key', and start them with it.
        """)
    }
  }

  /// A key in the directory was created for this installation, or put there by its operator. Other keys are created only
  /// for the first server; the database has their hashes.
  private func settleAPIKey(_ edition: EditionName, _ secrets: Secrets) async throws {
    let label = Secrets.label(edition)
    if let key = try secrets.apiKey(edition) {
      return try await register(key: key, edition: edition.rawValue, label: label)
    }
    guard try await !hasKey(of: edition.rawValue) else { return }
    let key = try secrets.makeAPIKey(edition)
    if try await !registerFirst(key: key, edition: edition.rawValue, label: label) {
      try secrets.removeAPIKey(edition)
    }
  }
}

extension ForeignFiles.Kind {
  /// What an operator can do about it.
  fileprivate func cure(_ settings: ServerSettings) -> String {
    let bucket = BucketName(settings.filesHome)
    let embedded = "madang.sqlite in \(bucket == nil ? "it" : "--data")"
    let database = settings.database.url == nil ? embedded : "--database-url"
    let files = bucket == nil ? "--data (\(settings.dataDirectory.path))" : "--files (\(settings.filesHome))"
    let check = "Check that \(files) and \(database) belong together."
    let empty = "an empty \(bucket == nil ? "directory" : "prefix") and an empty database"
    let share =
      settings.database.url == nil
      ? "" : " Servers of one database share --data, or files/ in it, or a bucket (--files)."
    // With a mark of its own, a server without access to the others' files would not notice that.
    let mark =
      "write the database's id (SELECT value FROM installation WHERE name = 'id') into "
      + (bucket.map { "the object \($0.prefix)installation" } ?? "files/installation")
    let putBack =
      bucket == nil
      ? "cp -a BACKUP/files/. \(settings.filesPlace)/" : "aws s3 sync BACKUP/files \(settings.filesHome)"
    switch self {
    case .different:
      return "\(check)\(share) To start a new installation, name \(empty)."
    case .unknownToDatabase:
      return """
        \(check) If the database was lost, load it from a backup into an empty one: 'madang admin import BACKUP'. To start \
        a new installation, name \(empty).
        """
    case .missing:
      return """
        \(check)\(share) If the files were lost, copy them back from the newest backup, as the server's user: \(putBack). Then \
        start again. Only if that is still refused and the files are lost for all servers, \(mark). 'madang admin check' lists the files that are \
        missing.
        """
    case .notShared:
      return """
        \(check)\(share) Only if this is the only server, and its files were lost before anything was uploaded, \(mark).
        """
    }
  }
}
