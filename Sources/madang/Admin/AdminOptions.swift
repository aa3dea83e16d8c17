import ArgumentParser
import Foundation
import Logging
import MadangCore
import MadangOperations

/// Options that locate the server's data and choose the output format.
struct AdminOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The server's data directory.", valueName: "dir"))
  var data: String?

  @Option(help: ArgumentHelp("The server's PostgreSQL: postgres://user:pass@host/db", valueName: "url"))
  var databaseURL: String?

  @Option(help: ArgumentHelp("The bucket that has the server's files: s3://bucket/prefix", valueName: "url"))
  var files: String?

  @Option(
    help: ArgumentHelp(
      "The server's settings, in JSON (default: /etc/madang/madang.json, if neither options nor environment name the data).",
      valueName: "file"), completion: .file())
  var config: String?

  @OptionGroup var printing: JSONOption

  /// Runs `body` on the server's data.
  /// - Parameter output: A directory in which `body` will write.
  func withData<Result>(
    writingTo output: String? = nil, _ body: (Administration, Output) async throws -> Result
  ) async throws -> Result {
    try await withSettings(writingTo: output) { settings, logger, output in
      try await Administration.run(settings, logger: logger) { try await body($0, output) }
    }
  }

  /// Runs `body` with the server's settings, as the owner of its data if root calls. Refusals are printed to standard error.
  /// - Parameters:
  ///   - makesData: Whether root makes a data directory that does not exist.
  ///   - owner: For whom; nil for the user who probably serves it.
  func withSettings<Result>(
    writingTo output: String? = nil, makesData: Bool = false, for owner: String? = nil,
    _ body: (ServerSettings, Logger, Output) async throws -> Result
  ) async throws -> Result {
    // Files that are written here (database, files, backups) are readable by this user only.
    umask(0o077)
    let loaded = try await loaded(from: try file())
    if makesData { try DataOwner.make(loaded.settings.dataDirectory, for: owner) }
    let became = try DataOwner.become(of: loaded.settings.dataDirectory, output: output.map { URL(filePath: $0) })
    var logger = Logger(label: "madang") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .error
    return try await wording(for: became) { try await body(loaded.settings, logger, printing.output) }
  }

  /// The server's settings. Throws ``SetupError``.
  func loaded(from file: String?) async throws -> LoadedSettings { try await LoadedSettings(flags: flags, file: file) }

  /// The settings file: the given one, or the package's.
  func file() throws -> String? { try config ?? PackagedSettings.find(flags: flags) }

  private var flags: [String: String] {
    var flags: [String: String] = [:]
    flags["data"] = data
    flags["database.url"] = databaseURL
    flags["files.home"] = files
    return flags
  }

  /// Runs `body`, and prints refusals to standard error in words.
  /// - Parameter owner: The user that root became.
  func wording<Result>(for owner: DataOwner? = nil, _ body: () async throws -> Result) async throws -> Result {
    func failure(_ words: String) -> Failure { Failure(owner?.explaining(words) ?? words) }
    do { return try await body() } catch let error as SetupError {
      throw failure(error.description)
    } catch let error as AdministrationError {
      throw failure(error.description)
    }
  }
}

/// The page of a long list.
struct PageOptions: ParsableArguments {
  @Option(help: "The largest number of results, 1 to 10000.") var limit = 100
  @Option(help: ArgumentHelp("Only rows after this number; the next page of a list.", valueName: "number"))
  var after: Int64 = 0

  func validate() throws {
    if !(1...10_000).contains(limit) { throw ValidationError("--limit must be from 1 to 10000.") }
  }

  /// Nil for the first page.
  var last: Int64? { after > 0 ? after : nil }

  /// If there are more rows, prints how to get them.
  func note(_ next: Int64?, _ output: Output) {
    if let next { output.note("There may be more rows: --after \(next)") }
  }

  /// If the page is full, prints how to get the next one.
  func note(_ count: Int, last: Int64?, _ output: Output) {
    if count == limit, let last { output.note("There may be more rows: --after \(last)") }
  }
}
