import Foundation
import Logging
import MadangAPI
import MadangCore
import MadangProviders
import Storage

/// Operations of an administrator on a server's own data: of a command on its machine, while the server may run, or of the server itself.
///
/// Access to the data is the permission: there is no sign-in here. Within ``explainingErrors(_:)``, operations throw
/// ``AdministrationError``.
public struct Administration: Sendable {
  let madang: Madang
  let settings: ServerSettings
  let administrator: Administrator

  /// Operations on a domain that is open already.
  package init(_ madang: Madang, _ settings: ServerSettings, actingAs administrator: Administrator) {
    (self.madang, self.settings, self.administrator) = (madang, settings, administrator)
  }

  /// Runs `body` on the data of these settings.
  /// - Throws: ``SetupError`` if there is no data, or it cannot be opened or has another version; ``AdministrationError`` if the database
  ///   refuses something; errors of `body`.
  public static func run<Result>(
    _ settings: ServerSettings, logger: Logger, _ body: (Administration) async throws -> Result
  ) async throws -> Result {
    do {
      return try await run(settings, actingAs: .ofThisProcess, logger: logger, body)
    } catch let error as StorageError {
      throw AdministrationError(description: "the database refused it: \(error.words)")
    }
  }

  /// Runs `body` on the data of these settings, with connections of its own, also in a process that serves them.
  package static func run<Result>(
    _ settings: ServerSettings, actingAs administrator: Administrator, logger: Logger,
    _ body: (Administration) async throws -> Result
  ) async throws -> Result {
    let sink = AuditSink(settings, clock: Clock(), logger: logger)
    let madang = try await open(settings, logger: logger, sink) { madang in
      let (version, pending) = try await madang.pendingMigrations()
      guard let needed = pending.map(\.version).max() else { return try await madang.migrate() }
      throw SetupError(
        "the database is at version \(version), this program needs \(needed); start 'madang serve', or run "
          + "'madang admin migrate'")
    }
    let result: Swift.Result<Result, any Error>
    let administration = Administration(madang, settings, actingAs: administrator)
    do { result = .success(try await administration.explainingErrors(body)) } catch { result = .failure(error) }
    await madang.database.close()
    await sink.close()
    return try result.get()
  }

  /// Brings the database of these settings up to this program's version.
  /// - Throws: ``SetupError`` as ``run(_:logger:_:)`` does, and if the migrations cannot run.
  public static func migrate(_ settings: ServerSettings, logger: Logger) async throws -> SchemaVersions {
    var versions = SchemaVersions(before: 0, version: 0)
    let sink = AuditSink(settings, clock: Clock(), logger: logger)
    let madang = try await open(settings, logger: logger, sink) { madang in
      let before = try await madang.pendingMigrations().version
      try await madang.migrateOwnDatabase(settings, filesMayBeAbsent: true)
      versions = SchemaVersions(before: before, version: try await madang.pendingMigrations().version)
    }
    await madang.database.close()
    await sink.close()
    return versions
  }

  private static func open(
    _ settings: ServerSettings, logger: Logger, _ sink: AuditSink, prepare: (Madang) async throws -> Void
  ) async throws -> Madang {
    let file = settings.databaseFile.path
    guard settings.database.url != nil || FileManager.default.fileExists(atPath: file) else {
      throw SetupError(
        "\(file) does not exist; name the server's directory with --data, or its database with --database-url")
    }
    return try await openMadang(
      settings.ofAdministrator, clock: Clock(), ids: IDSource(), pools: WorkerPools(settings), logger: logger,
      announce: sink.hear, prepare: prepare)
  }
}

extension ServerSettings {
  /// Runs work on the data beside a server, or without one.
  var ofAdministrator: ServerSettings {
    var settings = self
    settings.database.readers = 1
    settings.database.checkLimit = 0
    settings.database.statementTimeout = .zero
    settings.domain.sendsMail = !mail.server.isEmpty
    return settings
  }
}

/// The chats that got new dates, and their rooms.
public struct RedateSummary: Encodable, Sendable {
  public let rooms: Int
  public let chats: Int
}

extension Administration {
  /// Corrects future dates of chats, which come from a wrong clock.
  public func redateFutureChats() async throws -> RedateSummary {
    let redated = try await madang.redateFutureChats(by: administrator)
    return RedateSummary(rooms: redated.rooms, chats: redated.chats)
  }
}

extension Administration {
  /// Ends an account's sessions and refuses new ones. Its chats stay.
  public func disable(_ email: String) async throws -> AccountSummary {
    AccountSummary(try await madang.disable(email: email, by: administrator))
  }

  public func enable(_ email: String) async throws -> AccountSummary {
    AccountSummary(try await madang.enable(email: email, by: administrator))
  }

  /// Sets a password, by the rules of signing up, and ends the account's sessions.
  public func resetPassword(of email: String, to password: String) async throws -> AccountSummary {
    AccountSummary(try await madang.resetPassword(email: email, to: password, by: administrator))
  }

  /// Enters 1 to 1,000,000 coins in the ledger with a note of 1 to 200 characters.
  public func giveCoins(_ amount: Int, to email: String, note: String) async throws -> AccountSummary {
    AccountSummary(try await madang.giveCoins(amount, email: email, note: note, by: administrator))
  }

  /// Workspaces in the order of their numbers.
  /// - Parameters:
  ///   - text: A part of the name or of the owner's address, ignoring case; empty for any.
  ///   - number: Only workspaces after this one; nil for the first page.
  public func workspaces(
    matching text: String = "", after number: Int64? = nil, limit: Int
  ) async throws -> SearchedPage<WorkspaceSummary> {
    SearchedPage(try await madang.workspaces(matching: text, after: number, limit: limit), WorkspaceSummary.init)
  }

  /// Sessions in the order of their numbers, of one account or of all.
  public func sessions(of email: String?, after number: Int64, limit: Int) async throws -> [SessionSummary] {
    try await madang.sessions(email: email, after: number, limit: limit).map(SessionSummary.init)
  }

  public func endSession(_ number: Int64) async throws {
    try await madang.endSession(number, by: administrator)
  }

  /// The number of ended sessions.
  public func endSessions(of email: String) async throws -> Int {
    try await madang.endSessions(email: email, by: administrator)
  }

  /// Creates a new key that signs access tokens; servers use it after their restart.
  /// - Throws: ``SetupError`` or ``AdministrationError`` while a server runs.
  public func replaceTokenKey() async throws {
    let lock = try settings.takeServerLock(cure: "stop it first, and start it again afterwards")
    defer { lock?.release() }
    do { try await madang.replaceTokenKey(by: administrator) } catch let error as TokenKeyConflict {
      throw AdministrationError(
        description:
          "\(error); stop them all first, and start them again afterwards. A server that was cut off counts as running "
          + "until PostgreSQL notices, within a minute or so")
    }
  }

  /// API keys, the oldest first, without those in the settings.
  public func keys() async throws -> [KeySummary] { try await madang.keys().map { KeySummary($0) } }

  /// Creates a key. It is returned only once.
  /// - Parameters:
  ///   - registration: Who may create an account with an application that sends this key; nil for the setting.
  ///   - needsApproval: Whether such an account waits for approval; nil for the setting.
  public func createKey(
    _ edition: EditionName, label: String, registration: Registration? = nil, needsApproval: Bool? = nil
  ) async throws -> KeySummary {
    let made = try await madang.createKey(
      edition: edition.rawValue, label: label, registration: registration,
      approval: needsApproval.map { $0 ? .on : .off }, by: administrator)
    return KeySummary(made.record, key: made.key)
  }

  /// Revokes a key for ever; a running server notices within a second or two. Its file in this data directory, if any, is
  /// removed.
  public func revokeKey(_ number: Int64) async throws -> KeySummary {
    let revoked = KeySummary(try await madang.revokeKey(number, by: administrator))
    for file in try await madang.filesOfRevokedKeys(in: settings.secretsDirectory) where unlink(file.path) != 0 {
      throw AdministrationError(
        description:
          "key \(number) is revoked, but \(file.path) cannot be removed (\(String(cString: strerror(errno)))): remove it"
      )
    }
    return revoked
  }

  public func statistics() async throws -> ServerStatistics { ServerStatistics(try await madang.statistics()) }
}
