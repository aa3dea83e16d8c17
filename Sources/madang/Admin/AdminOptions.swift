import ArgumentParser
import Foundation
import Logging
import MadangCore
import MadangOperations

/// Options that locate the server's data and choose the output format.
struct AdminOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The server's data directory (default: ./madang-data).", valueName: "dir"))
  var data: String?

  @Option(help: ArgumentHelp("The server's PostgreSQL: postgres://user:pass@host/db", valueName: "url"))
  var databaseURL: String?

  @Option(help: ArgumentHelp("The bucket that has the server's files: s3://bucket/prefix", valueName: "url"))
  var files: String?

  @Option(help: ArgumentHelp("Read the server's settings from a JSON file.", valueName: "file"), completion: .file())
  var config: String?

  @OptionGroup var printing: JSONOption

  /// Runs `body` on the server's data.
  func withData<Result>(_ body: (Administration, Output) async throws -> Result) async throws -> Result {
    try await withSettings { settings, logger, output in
      try await Administration.run(settings, logger: logger) { try await body($0, output) }
    }
  }

  /// Runs `body` with the server's settings. Refusals are printed to standard error.
  func withSettings<Result>(_ body: (ServerSettings, Logger, Output) async throws -> Result) async throws -> Result {
    // Files that are written here (database, files, backups) are readable by this user only.
    umask(0o077)
    let loaded = try await loaded()
    var logger = Logger(label: "madang") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .error
    return try await wording { try await body(loaded.settings, logger, printing.output) }
  }

  /// The server's settings. Throws ``SetupError``.
  func loaded() async throws -> LoadedSettings {
    var flags: [String: String] = [:]
    flags["data"] = data
    flags["database.url"] = databaseURL
    flags["files.home"] = files
    return try await LoadedSettings(flags: flags, file: config)
  }

  /// Runs `body`, and prints refusals to standard error in words.
  func wording<Result>(_ body: () async throws -> Result) async throws -> Result {
    do { return try await body() } catch let error as SetupError {
      throw Failure(error.description)
    } catch let error as AdministrationError {
      throw Failure(error.description)
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
